import type { AnswerFrame } from '@svc/contracts';
import { expect, it } from 'vitest';
import type { AnswerWriter } from './door.ts';
import { FunctionCallsWriter } from './function-calls.ts';

const chat = { piece: (frame: AnswerFrame) => JSON.stringify(frame) } as AnswerWriter;

/** The calls of each chunk, as they are written. */
function written(...calls: readonly object[]): unknown[] {
  const writer = new FunctionCallsWriter(chat);
  return calls.map((call) => {
    const frame = { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }] };
    return JSON.parse(writer.piece(frame)).choices[0].delta.tool_calls[0];
  });
}

it('writes pieces of a custom tool call as pieces of a function call', () => {
  expect(written({ id: 'c', type: 'custom', custom: { name: 'sql', input: 'sel' } }, { custom: { input: 'ect' } })).toEqual([
    { index: 0, id: 'c', type: 'function', function: { name: 'sql', arguments: 'sel' } },
    { index: 0, function: { arguments: 'ect' } },
  ]);
});

it('does not join texts that guards saw separately', () => {
  expect(written({ id: 'c', function: { name: 'f', arguments: 'top ' } }, { custom: { input: 'secret' } })).toEqual([
    { index: 0, id: 'c', function: { name: 'f', arguments: 'top ' } },
    { index: 0, custom: { input: 'secret' } },
  ]);
  expect(written({ id: 'c', custom: { name: 'f', input: 'top ' } }, { function: { arguments: 'secret' } })).toEqual([
    { index: 0, id: 'c', function: { name: 'f', arguments: 'top ' } },
    { index: 0 },
  ]);
  expect(written({ custom: { arguments: 'top ' } }, { custom: { input: 'secret' } })).toEqual([
    { index: 0, function: {} },
    { index: 0, function: { arguments: 'secret' } },
  ]);
});
