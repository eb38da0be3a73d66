import { describe, expect, test } from 'vitest';
import { CHAT } from '../chat.ts';
import { MESSAGES } from '../messages.ts';
import { RESPONSES } from '../responses.ts';
import { finishReason } from './finish-reason.ts';

/** Vendors' finish reasons, by their meaning. */
const SAID = {
  stop: [
    'stop',
    'STOP',
    'eos',
    'eos_token',
    'endoftext',
    'end_turn',
    'stop_sequence',
    'COMPLETE',
    'FINISH_REASON_STOP',
    '',
    null,
    undefined,
  ],
  length: [
    'length',
    'MAX_TOKENS',
    'max_tokens',
    'max_output_tokens',
    'model_length',
    'model_context_window_exceeded',
    'REASON_MAX_LEN',
  ],
  tool_calls: ['tool_calls', 'tool_use', 'TOOL_CALL', 'tool-calls', 'REASON_TOOL_CALLS'],
  content_filter: ['content_filter', 'content-filter', 'refusal', 'SAFETY', 'guardrail_intervened', 'sensitive'],
} as const;
const ALL = Object.entries(SAID).flatMap(([word, all]) => all.map((said) => [said, word] as const));
const STOPS: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const IDENTITY = { id: 'r', created: 7, model: 'm' };

const completion = (finish_reason: unknown, calls = false) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'x', ...(calls && { tool_calls: [CALL] }) }, finish_reason }],
});
const message = (stop_reason: unknown, calls = false) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'x' }, ...(calls ? [{ type: 'tool_use', id: 't', name: 'f', input: {} }] : [])],
  stop_reason,
});
const chunk = (delta: object, finish_reason: unknown = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish_reason as string | null }],
});

describe('a reason', () => {
  test.each(ALL)('%j means %s', (said, word) => expect(finishReason(said, false)).toBe(word));

  test.each(['error', 'ERROR', 'network_error', 'insufficient_system_resource', 'abort'])('%s does not end an answer', (said) => {
    const broken = expect.objectContaining({ kind: 'unavailable', cost: 'unknown' });
    expect(() => finishReason(said, false)).toThrow(broken);
    expect(() => CHAT.readAnswer(completion(said))).toThrow(broken);
    expect(() => CHAT.frames.reader().read(chunk({}, said))).toThrow(broken);
  });
});

describe('an answer', () => {
  test.each(ALL)('of the chat format that ends with %j ends with %s over each API', (said, word) => {
    const answer = CHAT.readAnswer(completion(said));
    expect(answer).toEqual(completion(word));
    const own = MESSAGES.bridge.answerFromChat(answer as never, { model: 'm', messages: [] });
    expect(own.stop_reason).toBe(word === 'tool_calls' ? 'end_turn' : STOPS[word]);
    const response = RESPONSES.bridge.answerFromChat(answer as never, { model: 'm', input: 'x' });
    expect(response.status).toBe(word === 'length' || word === 'content_filter' ? 'incomplete' : 'completed');
  });

  test.each(ALL)('of the Messages API that ends with %j ends with %s over each API', (said, word) => {
    const known = said === 'stop_sequence' || said === 'model_context_window_exceeded';
    expect(MESSAGES.readAnswer(message(said)).stop_reason).toBe(known ? said : STOPS[word]);
    const chat = MESSAGES.bridge.answerToChat(MESSAGES.readAnswer(message(said)), IDENTITY);
    expect(chat.choices[0]?.finish_reason).toBe(word);
  });

  test.each(['stop', 'eos', null, undefined])('with calls that ends with %j ends for them', (said) => {
    expect(CHAT.readAnswer(completion(said, true))).toEqual(completion('tool_calls', true));
    expect(MESSAGES.readAnswer(message(said, true)).stop_reason).toBe('tool_use');
  });

  test('with calls is marked as cut off if it was cut off', () => {
    expect(CHAT.readAnswer(completion('MAX_TOKENS', true))).toEqual(completion('length', true));
    expect(MESSAGES.readAnswer(message('length', true)).stop_reason).toBe('max_tokens');
  });

  test('keeps an unknown reason, which becomes a normal end in another API', () => {
    expect(MESSAGES.readAnswer(message('not_invented_yet')).stop_reason).toBe('not_invented_yet');
    const answer = CHAT.readAnswer(completion('not_invented_yet'));
    expect(answer).toEqual(completion('not_invented_yet'));
    expect(MESSAGES.bridge.answerFromChat(answer as never, { model: 'm', messages: [] }).stop_reason).toBe('end_turn');
  });

  test.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'MAX_TOKENS' } }, 'incomplete', 'max_output_tokens'],
    [{ incomplete_details: { reason: 'length' } }, 'incomplete', 'max_output_tokens'],
    [{ status: 'incomplete', incomplete_details: { reason: 'SAFETY' } }, 'incomplete', 'content_filter'],
    [{ status: 'incomplete', incomplete_details: { reason: 'steered' } }, 'incomplete', 'steered'],
    [{}, 'completed', undefined],
  ])('of the Responses API that ends with %j is %s', (said, status, reason) => {
    const answer = RESPONSES.readAnswer({ object: 'response', output: [], ...said });
    expect([answer.status, Object(answer.incomplete_details).reason]).toEqual([status, reason]);
  });
});

describe('a stream', () => {
  /** The chunks of a chat answer, as the reader returns them. */
  const left = (frames: ReturnType<typeof chunk>[]) => {
    const reader = CHAT.frames.reader();
    for (const frame of frames) reader.read(frame);
    return [...frames, ...(reader.isComplete ? [] : (reader.end?.() ?? []))] as ReturnType<typeof chunk>[];
  };
  const reasonsOf = (frames: ReturnType<typeof chunk>[]) =>
    frames.flatMap(({ choices }) => choices.flatMap(({ finish_reason }) => finish_reason ?? []));
  const CALLED = { tool_calls: [{ index: 0, ...CALL }] };

  test.each(ALL.filter(([said]) => said))('of the chat format that ends with %j ends with %s', (said, word) =>
    expect(reasonsOf(left([chunk({ content: 'x' }), chunk({}, said)]))).toEqual([word]),
  );

  test.each(['stop', 'eos', '', null])('with calls that ends with %j ends for them', (said) => {
    expect(reasonsOf(left([chunk(CALLED), chunk({}, said)])).filter(Boolean)).toEqual(['tool_calls']);
  });

  test('with calls is marked as cut off', () =>
    expect(reasonsOf(left([chunk(CALLED), chunk({}, 'MAX_TOKENS')]))).toEqual(['length']));

  test.each(ALL)('of chunks that ends with %j ends with %s in the Messages API', (said, word) => {
    const bridge = MESSAGES.bridge.framesFromChat({ model: 'm', messages: [] });
    const frames = [...bridge.take(chunk({ content: 'x' }) as never), ...bridge.take(chunk({}, said) as never), ...bridge.end()];
    const [{ delta } = {}] = frames.filter(({ type }) => type === 'message_delta');
    expect(Object(delta).stop_reason).toBe(word === 'tool_calls' ? 'end_turn' : STOPS[word]);
  });

  test.each(ALL)('of the Messages API that ends with %j ends with %s', (said, word) => {
    const reader = MESSAGES.frames.reader();
    reader.read({ type: 'message_start', message: { role: 'assistant', content: [] } });
    const last = { type: 'message_delta', delta: { stop_reason: said ?? null } };
    reader.read(last);
    expect(reader.facts.finish_reason).toBe(word);
    expect(typeof last.delta.stop_reason).toBe('string');
  });
});
