import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCompletion } from './completion.ts';

const identity = { id: 'chatcmpl-run', created: 7, model: 'asked' };
const USAGE = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

function read(answer: object) {
  return readCompletion(JSON.stringify(answer), identity);
}
function readChoice(choice: object) {
  return read({ choices: [choice] }).choices[0];
}
const malformed = expect.objectContaining({ kind: 'malformed' });

describe('an answer', () => {
  test("in OpenAI's form is returned unchanged, with unknown fields", () => {
    const answer = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'gpt-4o-2024-08-06',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
            annotations: [],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        ...USAGE,
        prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 1 },
      },
      service_tier: 'default',
      system_fingerprint: 'fp_1',
    };
    expect(read(answer)).toEqual(answer);
  });

  test('gets fields that some servers omit', () => {
    const answer = {
      id: '',
      created: 1.5,
      choices: [
        { message: { content: 'x', tool_calls: null } },
        { message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '' } }] } },
      ],
      usage: null,
    };
    expect(read(answer)).toEqual({
      id: 'chatcmpl-run',
      object: 'chat.completion',
      created: 1,
      model: 'asked',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: null },
        {
          index: 1,
          message: { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
          finish_reason: null,
        },
      ],
      usage: null,
    });
  });

  test.each([
    ['a custom tool call', { id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }],
    ['a function call', { id: 'c', type: 'function', function: { name: 'f', arguments: 'not JSON' } }],
  ])('may hold %s', (_name, call) => expect(readChoice({ message: { tool_calls: [call] } })?.message.tool_calls).toEqual([call]));

  test('gives an id to a tool call without one', () => {
    const called = { function: { name: 'f', arguments: '' } };
    const tool_calls = [called, { ...called, id: '' }, { ...called, id: 'c' }].map((call) => ({ ...call }));
    expect(readChoice({ message: { tool_calls } })?.message.tool_calls?.map(({ id }) => id)).toEqual(['call_0', 'call_1', 'c']);
  });

  test("joins Mistral's parts", () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
    expect(readChoice({ message: { content: [thinking, { type: 'text', text: 'x' }] } })?.message).toEqual({
      role: 'assistant',
      content: 'x',
      reasoning_content: 'hm',
    });
  });

  test('keeps unknown parts beside the text', () => {
    const reference = { type: 'reference', reference_ids: [1] };
    expect(readChoice({ message: { content: [{ type: 'text', text: 'x' }, reference] } })?.message).toEqual({
      role: 'assistant',
      content: 'x',
      content_parts: [reference],
    });
  });

  test.each([
    ['an object', { n: 12 }, '{"n":12}'],
    ['nothing', undefined, '{}'],
  ])('has JSON as arguments of a call if a server sends %s', (_name, given, written) => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: given } }];
    expect(readChoice({ message: { tool_calls } })?.message.tool_calls?.[0]?.function?.arguments).toBe(written);
  });

  test.each([
    ['a function call without function', { message: { tool_calls: [{ id: 'c', type: 'function' }] } }],
    ['a tool call whose id is a number', { message: { tool_calls: [{ id: 1, function: { name: 'f', arguments: '' } }] } }],
    ['a tool call that is a string', { message: { tool_calls: ['f'] } }],
    ['a negative index', { index: -1, message: { content: 'x' } }],
    ['a fractional index', { index: 0.5, message: { content: 'x' } }],
    ['content an object', { message: { content: { text: 'x' } } }],
  ])('with %s is malformed', (_name, choice) => expect(() => readChoice(choice)).toThrow(malformed));

  test('with two choices of one index is malformed', () => {
    const choice = { index: 0, message: { content: 'x' } };
    expect(() => read({ choices: [choice, choice] })).toThrow(malformed);
  });

  test('of any JSON is a completion or malformed, never another error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.json().map((json) => `{"choices":[{"message":${json}}]}`),
          fc.string(),
        ),
        (text) => {
          try {
            expect(readCompletion(text, identity).choices.length).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toEqual(malformed);
          }
        },
      ),
    );
  });
});

describe('strings', () => {
  test('are returned well-formed, including keys', () => {
    const text = '{"choices":[{"message":{"content":"a\\ud83d","\\ude00k":["\\udc69"]}}],"pair":"\\ud83d\\ude00"}';
    const answer = readCompletion(text, identity);
    expect(answer.choices[0]?.message).toEqual({ role: 'assistant', content: 'a\uFFFD', '\uFFFDk': ['\uFFFD'] });
    expect(answer.pair).toBe('😀');
  });

  test('named __proto__ stay data', () => {
    const answer = readCompletion('{"choices":[{"message":{"content":"x","__proto__":{"role":"system"}}}]}', identity);
    expect(Object.getPrototypeOf(answer.choices[0]?.message)).toBe(Object.prototype);
    expect(answer.choices[0]?.message.role).toBe('assistant');
  });
});

describe('usage', () => {
  const usageOf = (usage: unknown) => read({ choices: [{ message: { content: 'x' } }], usage }).usage;

  test.each([
    ['plain', USAGE, USAGE],
    ['details null', { ...USAGE, prompt_tokens_details: null }, USAGE],
    ['cached tokens null', { ...USAGE, prompt_tokens_details: { cached_tokens: null } }, { ...USAGE, prompt_tokens_details: {} }],
    [
      'other details',
      { ...USAGE, prompt_tokens_details: { audio_tokens: 1 } },
      { ...USAGE, prompt_tokens_details: { audio_tokens: 1 } },
    ],
  ])('%s is kept', (_name, usage, kept) => expect(usageOf(usage)).toEqual(kept));

  test.each([
    ['a missing count', { prompt_tokens: 10, total_tokens: 12 }],
    ['a negative count', { ...USAGE, completion_tokens: -1 }],
    ['a count beyond exact numbers', { ...USAGE, total_tokens: 1e300 }],
    ['details as a number', { ...USAGE, prompt_tokens_details: 3 }],
    ['names of another API', { input_tokens: 10, output_tokens: 2 }],
  ])('with %s is converted as far as possible', (_name, usage) => expect(usageOf(usage)).toMatchObject(USAGE));

  test.each([
    ['a string', 'many'],
    ['no total, and a missing count', { prompt_tokens: 1 }],
    ['a fraction', { ...USAGE, prompt_tokens: 1.5 }],
    ['a count as text', { ...USAGE, prompt_tokens: '10' }],
  ])('with %s is dropped, but the answer is kept', (_name, usage) => expect(usageOf(usage)).toBeUndefined());

  test('of llama.cpp is read from its timings', () => {
    const timings = { cache_n: 236, prompt_n: 1, prompt_ms: 30.9, predicted_n: 35, predicted_ms: 661.1 };
    const { usage } = read({ choices: [{ message: { content: 'x' } }], timings });
    expect(usage).toMatchObject({ prompt_tokens: 237, completion_tokens: 35, prompt_tokens_details: { cached_tokens: 236 } });
  });
});
