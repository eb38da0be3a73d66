import { anthropic } from '@svc/sdk/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCompletion } from './completion.ts';

const identity = { id: 'chatcmpl-run', created: 7, model: 'asked' };
const malformed = expect.objectContaining({ kind: 'malformed' });

function read(changes: Partial<anthropic.AnthropicMessage> & object) {
  return readCompletion(JSON.stringify(anthropic.messageOf({ model: 'claude-1' }, changes)), identity);
}

test('a message is a chat completion', () => {
  const completion = read({
    content: [
      { type: 'thinking', thinking: 'Hm. ', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'One ' },
      { type: 'text', text: 'two.' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'Zürich' } },
      { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
      { type: 'not_invented_yet', text: 'three' },
    ],
    stop_reason: 'tool_use',
  });
  expect(completion).toEqual({
    id: 'msg_upstream',
    object: 'chat.completion',
    created: 7,
    model: 'claude-1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'One two.',
          reasoning_content: 'Hm. ',
          thinking_blocks: [
            { type: 'thinking', thinking: 'Hm. ', signature: 's' },
            { type: 'redacted_thinking', data: 'x' },
          ],
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich"}' } },
            { id: 'toolu_2', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: 0,
      completion_tokens: 1,
      total_tokens: 1,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  });
});

test('arguments keep every digit', () => {
  const written = '{"id":12345678901234567890,"amount":1.10,"deep":[{"rate":1e-7}]}';
  const text = `{"type":"message","content":[{"type":"tool_use","id":"t","name":"f","input":${written}}]}`;
  expect(readCompletion(text, identity).choices[0]?.message.tool_calls?.[0]?.function?.arguments).toBe(written);
});

test('what is left out is filled in; no text is null', () => {
  expect(readCompletion('{"type":"message","content":[]}', identity)).toEqual({
    ...identity,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: null }, logprobs: null, finish_reason: 'stop' }],
  });
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'length'],
  ['not_invented_yet', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])('stop_reason %s is finish_reason %s', (stop_reason, finish_reason) => {
  expect(read({ stop_reason }).choices[0]?.finish_reason).toBe(finish_reason);
});

describe('usage', () => {
  const counts = { input_tokens: 10, output_tokens: 3 };

  test('counts what was written to the cache and read from it as prompt', () => {
    const usage = {
      ...counts,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 1000,
      output_tokens_details: { thinking_tokens: 2 },
    };
    expect(read({ usage }).usage).toEqual({
      prompt_tokens: 1210,
      completion_tokens: 3,
      total_tokens: 1213,
      prompt_tokens_details: { cached_tokens: 1000, cache_creation_tokens: 200 },
      completion_tokens_details: { reasoning_tokens: 2 },
    });
  });

  test('may leave the cache out', () => {
    expect(read({ usage: { ...counts, cache_read_input_tokens: null } }).usage).toMatchObject({
      prompt_tokens: 10,
      total_tokens: 13,
    });
  });

  test.each<object>([{ input_tokens: 1 }, { ...counts, output_tokens: -1 }, { ...counts, cache_read_input_tokens: 'many' }, []])(
    '%j makes no sense and is dropped',
    (usage) => expect(read({ usage: { ...usage } }).usage).toBeUndefined(),
  );
});

test('strings come back well-formed', () => {
  const text = '{"type":"message","id":"m\\ud83d","content":[{"type":"text","text":"a\\ud83d\\udc69b\\udc69"}]}';
  expect(readCompletion(text, identity)).toMatchObject({ id: 'm\uFFFD', choices: [{ message: { content: 'a👩b\uFFFD' } }] });
});

describe('is malformed:', () => {
  test.each([
    ['an error', '{"type":"error","error":{"type":"api_error","message":"x"}}'],
    ["OpenAI's", '{"object":"chat.completion","choices":[]}'],
    ['no content', '{"type":"message"}'],
    ['content a text', '{"type":"message","content":"x"}'],
    ['a block without a type', '{"type":"message","content":[{"text":"x"}]}'],
    ['text a number', '{"type":"message","content":[{"type":"text","text":7}]}'],
    ['a tool without a name', '{"type":"message","content":[{"type":"tool_use","id":"t","input":{}}]}'],
  ])('%s', (_name, text) => expect(() => readCompletion(text, identity)).toThrow(malformed));

  test('any JSON is a completion or malformed, never another error', () => {
    const block = fc.record({
      type: fc.constantFrom('text', 'thinking', 'tool_use', 'x'),
      text: fc.json(),
      input: fc.jsonValue(),
    });
    const message = fc.record({ type: fc.constant('message'), content: fc.array(block), usage: fc.jsonValue() });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          message.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            expect(readCompletion(text, identity).choices).toHaveLength(1);
          } catch (error) {
            expect(error).toEqual(malformed);
          }
        },
      ),
    );
  });
});
