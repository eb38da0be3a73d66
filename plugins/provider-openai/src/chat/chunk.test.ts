import { describe, expect, test } from 'vitest';
import { readChunk, StreamState } from './chunk.ts';

const identity = { id: 'chatcmpl-run', created: 7, model: 'asked' };
const HEAD = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const read = (frame: unknown, type = 'message', state = new StreamState()) =>
  readChunk({ type, data: JSON.stringify(frame) }, identity, state);

describe('a chunk', () => {
  test("in OpenAI's form is returned unchanged", () => {
    const frame = {
      ...HEAD,
      service_tier: 'default',
      system_fingerprint: 'fp_1',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: null,
            tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
          },
          logprobs: null,
          finish_reason: null,
        },
      ],
      obfuscation: 'abc',
    };
    expect(read(frame)).toEqual(frame);
  });

  test('of usage may leave out its choices', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    expect(read({ ...HEAD, usage })).toEqual({ ...HEAD, choices: [], usage });
  });

  test('may have no choices at all', () => expect(read(HEAD)).toEqual({ ...HEAD, choices: [] }));

  test.each([{}, { type: 'ping' }, { type: 'heartbeat', time: 7 }, { choices: null }])('is null if an event has %j', (frame) =>
    expect(read(frame)).toBeNull(),
  );

  test('has arguments as JSON, even if a server sends an object', () => {
    const calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: { city: 'Ulm', days: [1] } } }];
    expect(read({ choices: [{ index: 0, delta: { tool_calls: calls } }] })?.choices[0]?.delta.tool_calls?.[0]?.function).toEqual({
      name: 'f',
      arguments: '{"city":"Ulm","days":[1]}',
    });
  });

  test('keeps unknown parts next to the text', () => {
    const reference = { type: 'reference', reference_ids: [1, 2] };
    const content = [{ type: 'text', text: 'One' }, reference, { type: 'text', text: ' two' }];
    expect(read({ choices: [{ index: 0, delta: { content } }] })?.choices[0]?.delta).toEqual({
      content: 'One two',
      content_parts: [reference],
    });
  });

  test('with an empty reason is not the last one', () => {
    const frame = { ...HEAD, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: '' }] };
    expect(read(frame)).toEqual({ ...HEAD, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] });
  });

  test('gets the fields that simple servers leave out, and loses their nulls', () => {
    const calls = [{ index: 0, id: null, type: null, function: { name: null, arguments: '{' } }];
    const frame = { choices: [{ delta: { role: null, tool_calls: calls } }, { index: 1 }], usage: null };
    expect(read(frame)).toEqual({
      id: 'chatcmpl-run',
      object: 'chat.completion.chunk',
      created: 7,
      model: 'asked',
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] }, finish_reason: null },
        { index: 1, delta: {}, finish_reason: null },
      ],
      usage: null,
    });
  });

  test.each([
    ['an array', []],
    ['with a delta that is a string', { choices: [{ index: 0, delta: 'x' }] }],
    ['with content that is a number', { choices: [{ index: 0, delta: { content: 1 } }] }],
    ['with content that is an array', { choices: [{ index: 0, delta: { content: ['x'] } }] }],
    ['with an index that is a list', { choices: [{ index: [0], delta: {} }] }],
    ['with an index that is an object', { choices: [{ index: { toString: 1 }, delta: { content: 'x' } }] }],
    ['with a tool call whose index is a text', { choices: [{ index: 0, delta: { tool_calls: [{ index: '0' }] } }] }],
    [
      'with arguments that are a list',
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: [] } }] } }] },
    ],
    ['with a finish_reason that is a number', { choices: [{ index: 0, delta: {}, finish_reason: 1 }] }],
  ])('that is %s is malformed', (_name, frame) => {
    expect(() => read(frame)).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test('never prints an invalid index, for each of its texts', () => {
    const written: string[] = [];
    const state = new StreamState();
    const { pieces } = state;
    const push = pieces.push.bind(pieces);
    pieces.push = (text, piece) => {
      written.push(text);
      return push(text, piece);
    };
    const list = Array.from({ length: 1_000 }, () => 1);
    const tool_calls = [{ index: 0, function: { arguments: 'a' } }];
    for (const choice of [
      { index: list, delta: { content: 'x', tool_calls } },
      { index: 0, delta: { tool_calls: [{ ...tool_calls[0], index: list }] } },
    ])
      expect(() => read({ choices: [choice] }, 'message', state)).toThrow(expect.objectContaining({ kind: 'malformed' }));
    expect(written).toEqual([]);
  });

  test('that is not JSON is malformed', () => {
    expect(() => readChunk({ type: 'message', data: '{"cho' }, identity, new StreamState())).toThrow(
      expect.objectContaining({ kind: 'malformed' }),
    );
  });
});

describe('an error inside the stream', () => {
  test.each<[string, unknown, string, object]>([
    [
      'OpenAI',
      { error: { message: 'secret', type: 'server_error', code: 'x' } },
      'message',
      { kind: 'unavailable', status: 500 },
    ],
    [
      'a known code',
      { error: { message: 'secret', code: 'context_length_exceeded' } },
      'message',
      { kind: 'invalid_request', status: 400 },
    ],
    ['a status as text', { error: { message: 'secret', code: '429' } }, 'error', { kind: 'rate_limited', status: 429 }],
    ['a bare text', { error: 'secret' }, 'message', { kind: 'unavailable' }],
    ['with choices beside it', { ...HEAD, choices: [], error: { code: 502 } }, 'message', { kind: 'unavailable', status: 502 }],
    ['with a status', { error: { message: 'secret', code: 429 } }, 'message', { kind: 'rate_limited', status: 429 }],
    ['old vLLM', { object: 'error', message: 'secret', code: 400 }, 'message', { kind: 'invalid_request', status: 400 }],
    ['a number that is no status', { error: { code: 7 } }, 'message', { kind: 'unavailable', status: undefined }],
    ['by the type of its event', { message: 'secret' }, 'error', { kind: 'unavailable' }],
  ])('%s', (_name, frame, type, expected) => {
    expect(() => read(frame, type)).toThrow(expect.objectContaining(expected));
    expect(() => read(frame, type)).not.toThrow(/secret/);
  });

  test('null is not an error', () => expect(read({ ...HEAD, choices: [], error: null })?.choices).toEqual([]));
});
