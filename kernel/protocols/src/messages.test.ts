import type { RequestBody } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { message } from './messages/test-parts.ts';
import { MESSAGES } from './messages.ts';

const body = (more: object = {}): RequestBody => ({
  model: 'r',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hi' }],
  ...more,
});

describe('a request', () => {
  test('has its turns and their speakers', () => {
    const asked = body({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [] },
        { role: 'system', content: 'b' },
      ],
    });
    expect(MESSAGES.turnsOf(asked)).toBe(asked.messages);
    expect(MESSAGES.rolesOf(asked)).toEqual(['user', 'assistant', 'system']);
    const turns = [{ role: 'user', content: 'c' }];
    expect(MESSAGES.withTurns(asked, turns)).toEqual({ ...asked, messages: turns });
  });

  test('accepts a text as a turn, and puts it after tool results that it would separate from their calls', () => {
    const asked = body();
    MESSAGES.addText(asked, 0, 'Know this.');
    expect(asked.messages).toEqual([
      { role: 'user', content: 'Know this.', svc_origin: 'retrieved' },
      { role: 'user', content: 'hi' },
    ]);
    const result = { type: 'tool_result', tool_use_id: 't', content: 'x' };
    const later = { type: 'text', text: 'Well?' };
    const used = body({
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        { role: 'user', content: [result, later] },
      ],
    });
    MESSAGES.addText(used, 1, 'Know this.');
    expect(MESSAGES.turnsOf(used)[1]).toEqual({
      role: 'user',
      content: [result, { type: 'text', text: 'Know this.', svc_origin: 'retrieved' }, later],
    });
  });

  test('gives its limit of tokens, and whether the answer must be JSON', () => {
    expect(MESSAGES.factsOf(body())).toEqual({ answers: 1, max_output_tokens: 9, wantsJson: false });
    const format = { type: 'json_schema', schema: {} };
    expect(MESSAGES.factsOf(body({ output_config: { format } })).wantsJson).toBe(true);
    expect(MESSAGES.factsOf(body({ output_format: format, max_tokens: null }))).toMatchObject({
      wantsJson: true,
      max_output_tokens: null,
    });
  });

  test('counts without thinking', () => {
    const text = { type: 'text', text: 'a' };
    const asked = body({
      system: 'b',
      messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'c', signature: 'QUJD' }, text] }],
    });
    expect(MESSAGES.readIn(asked)).toEqual(['b', [{ role: 'assistant', content: [text] }]]);
  });
});

describe('an answer', () => {
  const text = { type: 'text', text: 'Hi' };

  test('has the tokens of its prompt in three counts', () => {
    const usage = { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, output_tokens: 9 };
    expect(MESSAGES.outcomeOf(message([], { usage, stop_reason: 'max_tokens' }))).toEqual({
      finish_reason: 'length',
      usage: {
        input_tokens: 125,
        cached_input_tokens: 100,
        cache_write_5m_tokens: 20,
        output_tokens: 9,
        estimated: false,
      },
    });
    expect(MESSAGES.outcomeOf(message([], { usage: { input_tokens: -1 }, stop_reason: null }))).toEqual({
      finish_reason: null,
      usage: null,
    });
  });

  test('gets the head that the gateway wrote, whole and streamed, and nothing else changes', () => {
    const head = { id: 'run', created: 7, model: 'route' };
    const answer = message([text]);
    expect(JSON.stringify(MESSAGES.withHead(answer, head))).toBe(JSON.stringify({ ...answer, id: 'msg_run', model: 'route' }));
    const start = { type: 'message_start', message: answer };
    expect(MESSAGES.withHead(start, head)).toEqual({ ...start, message: { ...answer, id: 'msg_run', model: 'route' } });
    const other = { type: 'content_block_stop', index: 0 };
    expect(MESSAGES.withHead(other, head)).toBe(other);
  });

  test('is a turn of the next request, unless it is empty', () => {
    expect(MESSAGES.turnsOfAnswer(message([text]))).toEqual([{ role: 'assistant', content: [text] }]);
    expect(MESSAGES.turnsOfAnswer(message([]))).toEqual([]);
  });

  test('has the text of its blocks', () => {
    expect(MESSAGES.textOf(message([text, { type: 'thinking', thinking: 'x' }, text]))).toBe('HiHi');
  });

  test('counts the text that its model wrote', () => {
    const blocks = [{ type: 'thinking', thinking: 'a', signature: 'QUJD' }, { type: 'redacted_thinking', data: 'QUJD' }, text];
    expect(MESSAGES.writtenIn(message(blocks))).toEqual([{ thinking: 'a' }, { text: 'Hi' }]);
    expect(MESSAGES.writtenIn(message([]))).toBeNull();
    const counted = { input_tokens: 1, output_tokens: 2, cached_input_tokens: 0, estimated: true };
    expect(MESSAGES.withUsage(message([], { usage: null }), counted).usage).toMatchObject({ input_tokens: 1, output_tokens: 2 });
    expect(MESSAGES.withUsage(message([]), counted)).toEqual(message([]));
  });

  test.each<[string, unknown, string]>([
    ['an error', { type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'unavailable'],
    ["OpenAI's", { object: 'chat.completion', choices: [] }, 'malformed'],
    ['no content', { type: 'message' }, 'malformed'],
    ['content a text', { type: 'message', content: 'x' }, 'malformed'],
    ['a block without a type', { type: 'message', content: [{ text: 'x' }] }, 'malformed'],
    ['text a number', { type: 'message', content: [{ type: 'text', text: 7 }] }, 'malformed'],
    ['a tool without a name', { type: 'message', content: [{ type: 'tool_use', id: 't', input: {} }] }, 'malformed'],
  ])('is refused: %s', (_name, value, kind) => {
    expect(() => MESSAGES.readAnswer(value)).toThrow(expect.objectContaining({ name: 'ProviderError', kind }));
  });

  test('is read unchanged, even with unknown blocks', () => {
    const answer = message([{ type: 'not_invented_yet', text: 7 }, text]);
    expect(MESSAGES.readAnswer(answer)).toBe(answer);
  });
});
