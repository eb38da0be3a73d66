import type { RequestBody } from '@svc/contracts';
import { describe, expect, test } from 'vitest';
import { RESPONSES } from './responses.ts';

const IDENTITY = { id: 'r1', created: 1_800_000_000, model: 'route' };

describe('turns', () => {
  test('are the items, each with its speaker', () => {
    const input = [
      { role: 'developer', content: 'a' },
      { type: 'message', role: 'user', content: 'b' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'd' },
      { type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' },
      { type: 'web_search_call' },
      { type: 'compaction_trigger' },
      { type: 'mcp_approval_response', approve: true },
      { type: 'not_invented_yet' },
      { type: 'message', role: 'root' },
      'no item',
    ];
    const body = { model: 'r', input };
    expect(RESPONSES.turnsOf(body)).toBe(input);
    expect(RESPONSES.rolesOf(body)).toEqual([
      ...['system', 'user', 'assistant', 'assistant', 'tool', 'assistant', 'assistant'],
      ...['user', 'user', 'user', 'user', 'user'],
    ]);
  });

  test('of a text are one item, which replaces the text only if another item is added', () => {
    const body: RequestBody = { model: 'r', input: 'Hello' };
    const said = { type: 'message', role: 'user', content: 'Hello' };
    expect(RESPONSES.rolesOf(body)).toEqual(['user']);
    expect(RESPONSES.turnsOf(body)).toEqual([said]);
    expect(body).toEqual({ model: 'r', input: 'Hello' });
    expect(RESPONSES.withTurns(body, [])).toEqual({ model: 'r', input: [] });
    RESPONSES.addText(body, 0, 'Mind this.');
    expect(body.input).toEqual([{ ...said, content: 'Mind this.', svc_origin: 'retrieved' }, said]);
  });
});

test.each([
  [{ max_output_tokens: 7 }, { answers: 1, max_output_tokens: 7, wantsJson: false }],
  [
    { max_output_tokens: null, text: { format: { type: 'text' } } },
    { answers: 1, max_output_tokens: null, wantsJson: false },
  ],
  [{ text: { format: { type: 'json_schema' } } }, { answers: 1, max_output_tokens: null, wantsJson: true }],
])('%j is accepted', (fields, facts) => {
  expect(RESPONSES.factsOf({ model: 'r', ...fields })).toEqual(facts);
});

describe('an answer', () => {
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 17,
  };
  const answer = {
    id: 'x',
    object: 'response',
    created_at: 5,
    completed_at: 8,
    model: 'gpt',
    status: 'completed',
    output: [],
    usage,
  };

  test('is read unchanged, and gives the reason for its end', () => {
    expect(RESPONSES.readAnswer(answer)).toBe(answer);
    const counted = { cached_input_tokens: 4, estimated: false, input_tokens: 10, output_tokens: 7, reasoning_tokens: 5 };
    expect(RESPONSES.outcomeOf(answer)).toEqual({ finish_reason: 'stop', usage: counted });
    expect(RESPONSES.outcomeOf({ ...answer, output: [{ type: 'function_call' }] }).finish_reason).toBe('tool_calls');
    const cut = { ...answer, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage: null };
    expect(RESPONSES.outcomeOf(cut)).toEqual({ finish_reason: 'length', usage: null });
    expect(RESPONSES.withUsage(cut, counted).usage).toEqual({
      ...usage,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
    });
    expect(RESPONSES.withUsage(answer, counted)).toBe(answer);
  });

  test('has no fragments of its text where guards read it', () => {
    const part = { type: 'output_text', text: 'Hi', logprobs: [{ token: 'Hi' }] };
    const told = { ...answer, output: [{ type: 'message', content: [part] }] };
    expect(RESPONSES.checkable(told)).toEqual({
      answer: { ...answer, output: [{ type: 'message', content: [{ ...part, logprobs: [] }] }] },
      left_out: ['output.content.logprobs'],
    });
    expect(RESPONSES.checkable(answer).answer).toBe(answer);
    expect(RESPONSES.writtenIn(told)).toEqual([{ content: [part] }]);
    expect(RESPONSES.writtenIn({ ...answer, output: [{ type: 'reasoning', encrypted_content: 'x' }] })).toBeNull();
  });

  test('gets the head that the gateway wrote, in frames too', () => {
    const headed = { ...answer, id: 'resp_r1', created_at: 1_800_000_000, completed_at: 1_800_000_003, model: 'route' };
    expect(RESPONSES.withHead(answer, IDENTITY)).toEqual(headed);
    expect(Object.keys(RESPONSES.withHead(answer, IDENTITY))).toEqual(Object.keys(answer));
    const frame = { type: 'response.completed', sequence_number: 3, response: answer };
    expect(RESPONSES.withHead(frame, IDENTITY)).toEqual({ ...frame, response: headed });
    const feigned = { ...frame, response: { ...answer, svc_event: 'blocked' } };
    expect(RESPONSES.withHead(feigned, IDENTITY)).toEqual({ ...frame, response: headed });
    const delta = { type: 'response.output_text.delta', delta: 'x' };
    expect(RESPONSES.withHead(delta, IDENTITY)).toBe(delta);
  });

  test.each<[string, unknown, string]>([
    ['no object', [], 'malformed'],
    ['something else', { object: 'chat.completion' }, 'malformed'],
    ['one without its output', { ...answer, output: null }, 'malformed'],
    ['one under way', { ...answer, status: 'in_progress' }, 'malformed'],
    ['one that failed', { ...answer, status: 'failed', error: { code: 'server_error', message: 'x' } }, 'unavailable'],
    ['one that was refused', { ...answer, status: 'failed', error: { code: 'invalid_prompt' } }, 'invalid_request'],
    ['an error', { error: { code: 'rate_limit_exceeded' } }, 'rate_limited'],
  ])('is not %s', (_what, value, kind) => {
    expect(() => RESPONSES.readAnswer(value)).toThrow(expect.objectContaining({ kind }));
  });

  test('is the beginning of the next request', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c' },
    ];
    expect(RESPONSES.turnsOfAnswer({ ...answer, output })).toEqual(output);
  });
});
