import type { AnswerFrame } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { ChatReader } from './reader.ts';

const chunk = (choices: object[], fields: object = {}): AnswerFrame => ({ object: 'chat.completion.chunk', choices, ...fields });
const said = (delta: object, finish_reason: string | null = null, index = 0) => ({ index, delta, finish_reason });
const isLast = (frames: AnswerFrame[], reader = new ChatReader()) => frames.map((frame) => reader.read(frame).isLast);

describe('one of the last chunks', () => {
  it('ends a choice, or follows the end of all choices', () => {
    const frames = [
      chunk([]),
      chunk([said({ content: 'a' })]),
      chunk([said({}, 'stop')]),
      chunk([said({ content: 'b' }, null, 1)]),
      chunk([said({ content: '' })]),
      chunk([said({}, 'stop', 1)]),
      chunk([said({ content: '' })], { usage: {} }),
      chunk([]),
    ];
    expect(isLast(frames)).toEqual([false, false, true, false, true, true, true, true]);
  });

  it('contains only usage', () => {
    expect(isLast([chunk([], { usage: {} })])).toEqual([true]);
  });
});

it('calls are one part until the answer ends, including calls that follow the end of their choice', () => {
  const reader = new ChatReader();
  const calls = (args: string) => chunk([said({ tool_calls: [{ index: 0, function: { arguments: args } }] })]);
  const [, one, two, usage] = [chunk([said({}, 'stop')]), calls('{'), calls('}'), chunk([], { usage: {} })].map((frame) =>
    reader.read(frame),
  );
  expect([one?.part?.isComplete, two?.part?.isComplete]).toEqual([false, false]);
  expect(usage?.ends).toEqual([]);
});

it('padding is not an id, because each chunk has its own', () => {
  const { ids } = new ChatReader().read(chunk([], { system_fingerprint: 'fp', obfuscation: 'x1' }));
  expect(ids).toEqual([['system_fingerprint']]);
});
