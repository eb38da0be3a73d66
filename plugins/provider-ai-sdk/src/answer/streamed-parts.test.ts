import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { joinChunks } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import { StreamedParts } from './streamed-parts.ts';

const identity = { id: 'chatcmpl-run', created: 7, model: 'asked' };

function chunksOf(...parts: LanguageModelV4StreamPart[]) {
  const streamed = new StreamedParts(identity);
  return parts.flatMap((part) => streamed.chunks(part));
}

const finish = (
  unified: LanguageModelV4FinishReason['unified'] = 'stop',
  raw: string | undefined = 'r',
  [input, output]: (number | undefined)[] = [3, 4],
): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage: {
    inputTokens: { total: input, noCache: undefined, cacheRead: 2, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: 1 },
  },
});

test('metadata names the answer', () => {
  const chunks = chunksOf({ type: 'response-metadata', id: 'r-1', modelId: 'm-2' }, { type: 'text-delta', id: '0', delta: 'a' });
  expect(chunks).toMatchObject([
    { id: 'r-1', model: 'm-2', created: 7, choices: [{ delta: { role: 'assistant', content: 'a' } }] },
  ]);
});

test('a character that is cut between pieces stays whole; a remaining half becomes U+FFFD', () => {
  const chunks = chunksOf(
    { type: 'text-delta', id: '0', delta: 'a\ud83d' },
    { type: 'text-delta', id: '0', delta: '\udc69b\ud83d' },
    { type: 'text-end', id: '0' },
  );
  expect(chunks.map(({ choices }) => choices[0]?.delta.content).join('')).toBe('a👩b\uFFFD');
});

describe('a tool call', () => {
  const start = { type: 'tool-input-start', id: 't', toolName: 'f' } as const;
  const whole = { type: 'tool-call', toolCallId: 't', toolName: 'f', input: '{"a":1}' } as const;
  test.each<[string, LanguageModelV4StreamPart[], string]>([
    [
      'in pieces',
      [start, { type: 'tool-input-delta', id: 't', delta: '{"a":1}' }, { type: 'tool-input-end', id: 't' }, whole],
      '{"a":1}',
    ],
    ['in one', [whole], '{"a":1}'],
    ['begun, then in one', [start, { type: 'tool-input-end', id: 't' }, whole], '{"a":1}'],
    ['without arguments', [{ ...whole, input: '' }], '{}'],
  ])('%s', (_name, parts, written) => {
    expect(joinChunks(chunksOf(...parts)).choices[0]?.message.tool_calls).toEqual([
      { id: 't', type: 'function', function: { name: 'f', arguments: written } },
    ]);
  });

  test('next to another call has its own index', () => {
    const chunks = chunksOf(whole, { ...whole, toolCallId: 'u' });
    expect(joinChunks(chunks).choices[0]?.message.tool_calls).toMatchObject([{ id: 't' }, { id: 'u' }]);
  });

  test('that the upstream runs itself is not shown to the caller', () => {
    expect(chunksOf({ ...start, providerExecuted: true }, { type: 'tool-input-delta', id: 't', delta: 'x' }, whole)).toEqual([]);
  });

  test('whose pieces arrive before it is malformed', () => {
    expect(() => chunksOf({ type: 'tool-input-delta', id: 't', delta: 'x' })).toThrow(
      expect.objectContaining({ kind: 'malformed' }),
    );
  });
});

describe('the end', () => {
  test.each<[LanguageModelV4FinishReason['unified'], string]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
    ['other', 'stop'],
  ])('%s is %s, with usage', (unified, finish_reason) => {
    expect(chunksOf(finish(unified))).toMatchObject([
      {
        choices: [{ finish_reason }],
        usage: {
          prompt_tokens: 3,
          completion_tokens: 4,
          total_tokens: 7,
          prompt_tokens_details: { cached_tokens: 2 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
    ]);
  });

  test.each<[LanguageModelV4FinishReason['unified'], string | undefined]>([
    ['error', 'x'],
    ['interrupted', undefined],
  ])('%s is a failure', (unified, raw) => {
    expect(() => chunksOf(finish(unified, raw))).toThrow(expect.objectContaining({ kind: 'unavailable', cost: 'unknown' }));
  });

  test.each([[[0, 0]], [[undefined, 4]], [[3, -1]], [[3, 0.5]]])('with counts %j has no usage', (counts) => {
    expect(chunksOf(finish('stop', 'r', counts))[0]?.usage).toBeUndefined();
  });
});

test('parts that were not requested add nothing', () => {
  const source: LanguageModelV4StreamPart = { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' };
  expect(chunksOf({ type: 'ping' }, { type: 'raw', rawValue: {} }, source, { type: 'text-start', id: '0' })).toEqual([]);
});
