import type { AnswerFrame, ChatCompletionChunk, JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectsIn } from '../../common/json-shapes.ts';
import { framesOf, responseOf } from '../frames/test-frames.ts';
import { RESPONSES_BRIDGE } from './bridge.ts';

const IDENTITY = { id: 'r1', created: 5, model: 'route' };
const toChat = (response: JsonObject) => RESPONSES_BRIDGE.answerToChat(response, IDENTITY);
const chunksOf = (frames: readonly AnswerFrame[]): ChatCompletionChunk[] => {
  const bridge = RESPONSES_BRIDGE.framesToChat(IDENTITY);
  return [...frames.flatMap((frame) => bridge.take(frame)), ...bridge.end()];
};

/** The message that a reader makes of the chunks. */
function joined(chunks: readonly ChatCompletionChunk[]): JsonObject {
  const message: JsonObject = { content: null };
  const calls = new Map<number, JsonObject>();
  for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
    const { tool_calls, ...fields } = delta as JsonObject;
    for (const call of objectsIn(tool_calls)) calls.set(Number(call.index), joinedCall(calls.get(Number(call.index)), call));
    for (const [name, piece] of Object.entries(fields)) {
      if (Array.isArray(piece)) message[name] = [...objectsIn(message[name]), ...piece];
      else message[name] = `${message[name] ?? ''}${piece}`;
    }
  }
  return { ...message, ...(calls.size > 0 && { tool_calls: [...calls.values()] }) };
}

function joinedCall(before: JsonObject | undefined, { index: _, ...piece }: JsonObject): JsonObject {
  if (before === undefined) return piece;
  const type = 'custom' in piece ? 'custom' : 'function';
  return { ...before, [type]: grown(before[type] as JsonObject, piece[type] as JsonObject) };
}

function grown(before: JsonObject, piece: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(before).map(([name, text]) => [name, `${text}${piece[name] ?? ''}`]));
}

const THOUGHT: JsonObject = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'First I look.' },
    { type: 'summary_text', text: 'Then I call.' },
  ],
  encrypted_content: 'gAAAAAB',
};
const SAID: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'I call, naïve 日本.', annotations: [] }],
};
const CITED: JsonObject = {
  id: 'msg_3',
  type: 'message',
  role: 'assistant',
  content: [
    {
      type: 'output_text',
      text: 'See there.',
      annotations: [{ type: 'url_citation', start_index: 4, end_index: 9, url: 'https://example.org', title: 'There' }],
    },
  ],
};
const CALL: JsonObject = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"city":"Zürich"}' };
const CUSTOM: JsonObject = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: '*** Begin' };
const ITEMS: Record<string, JsonObject> = {
  thought: THOUGHT,
  open: { id: 'rs_2', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'So.' }] },
  said: SAID,
  refused: { id: 'msg_2', type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
  cited: CITED,
  call: CALL,
  custom: CUSTOM,
  search: { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
};
const outputOf = (names: readonly string[]) =>
  names.map((name, index): JsonObject => ({ ...ITEMS[name], id: `${ITEMS[name]?.id}_${index}` }));

describe('a response', () => {
  test('becomes a chat completion', () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 17,
    };
    const output = [THOUGHT, SAID, CALL, CUSTOM];
    expect(toChat(responseOf(output, { usage }))).toEqual({
      id: 'r1',
      object: 'chat.completion',
      created: 5,
      model: 'route',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'I call, naïve 日本.',
            reasoning_content: 'First I look.\n\nThen I call.',
            reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAAAAB', id: 'rs_1', format: 'openai-responses-v1' }],
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"Zürich"}' } },
              { id: 'call_2', type: 'custom', custom: { name: 'c', input: '*** Begin' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 7,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    });
  });

  test('of several texts has a break between them, and the offsets of its citations include it', () => {
    const { message } = toChat(responseOf(outputOf(['said', 'cited']))).choices[0] ?? {};
    expect(message?.content).toBe('I call, naïve 日本.\n\nSee there.');
    const [cited] = (message?.annotations ?? []) as { url_citation: { start_index: number; end_index: number } }[];
    const { start_index, end_index } = cited?.url_citation ?? {};
    expect(String(message?.content).slice(start_index, end_index)).toBe('there');
  });

  test('has no reasoning without a following item that is returned', () => {
    const { choices, svc_left_out } = toChat(responseOf(outputOf(['thought', 'search', 'said', 'thought'])));
    expect(choices[0]?.message.reasoning_details).toMatchObject([{ data: 'gAAAAAB' }]);
    expect(choices[0]?.message.reasoning_content).toBe('First I look.\n\nThen I call.\n\nFirst I look.\n\nThen I call.');
    expect(svc_left_out).toEqual(['output.encrypted_content']);
  });

  test.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
    [{ output: outputOf(['call']) }, 'tool_calls'],
    [{ output: outputOf(['refused']) }, 'stop'],
  ])('%j ends with %s, streamed too', (changes, finish_reason) => {
    const response = responseOf([], changes);
    expect(toChat(response).choices[0]?.finish_reason).toBe(finish_reason);
    const type = `response.${String(response.status)}`;
    expect(chunksOf([{ type, response }]).at(-2)?.choices[0]?.finish_reason).toBe(finish_reason);
  });

  test.each<[string, RegExp]>([
    ['all', /^$/],
    ['no pieces', /\.delta$/],
    ['no pieces and no parts', /\.delta$|part\./],
    ['items alone', /\.delta$|part\.|text\.done$|arguments|input\.d|refusal/],
    ['no ends of items', /item\.done$/],
    ['the last alone', /^response\.(?!completed)/],
  ])('in frames (%s) has the same content as the whole response', (_what, without) => {
    const names = fc.array(fc.constantFrom(...Object.keys(ITEMS)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(names, (chosen) => {
        const output = outputOf(chosen);
        const chunks = chunksOf(framesOf(output, undefined, (type) => !without.test(type)));
        const whole = toChat(responseOf(output)).choices[0];
        // Reasoning keeps its position, and so do the breaks between its texts.
        expect({ role: 'assistant', ...joined(chunks) }).toEqual(whole?.message);
        expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe(whole?.finish_reason);
        expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3 } });
      }),
    );
  });

  test('has the arguments of a call even if only one event contains them', () => {
    const begun = { type: 'response.output_item.added', output_index: 0, item: { ...CALL, arguments: '' } };
    const done = { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' };
    const last = { type: 'response.completed', response: responseOf([]) };
    expect(joined(chunksOf([begun, done, last])).tool_calls).toMatchObject([{ function: { arguments: '{"x":1}' } }]);
    const { message } = toChat(responseOf([{ ...CALL, arguments: { x: 1 } }])).choices[0] ?? {};
    expect(message?.tool_calls).toMatchObject([{ function: { arguments: '{"x":1}' } }]);
  });

  test('names the content without an equivalent in a chat answer, whole and in frames', () => {
    const parts = [
      { type: 'output_text', text: 'Hi', logprobs: [{ token: 'Hi' }], mine: 1 },
      { type: 'output_audio', data: 'AAAA' },
    ];
    const output: JsonObject[] = [
      { id: 'msg_1', type: 'message', role: 'assistant', phase: 'commentary', content: parts },
      { ...CALL, caller: { type: 'direct' } },
      THOUGHT,
    ];
    const lost = ['output.phase', 'output.content.logprobs', 'output.content.other', 'output.caller', 'output.encrypted_content'];
    expect(toChat(responseOf(output)).svc_left_out).toEqual(lost);
    expect(chunksOf(framesOf(output)).at(-1)?.svc_left_out).toEqual(lost);
  });

  test('is not repeated if its upstream numbers events wrongly', () => {
    const output = outputOf(['said', 'call', 'cited']);
    const frames = framesOf(output).map((frame) => ('output_index' in frame ? { ...frame, output_index: 0 } : frame));
    expect({ role: 'assistant', ...joined(chunksOf(frames)) }).toMatchObject({
      content: 'I call, naïve 日本.\n\nSee there.',
      tool_calls: [{ function: { arguments: '{"city":"Zürich"}' } }],
    });
  });

  test('gives a character whole even if it was cut into halves', () => {
    const halves = ['a\ud83d', '\udc69b'].map((delta) => ({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta,
    }));
    const chunks = chunksOf([...halves, { type: 'response.completed', response: responseOf([]) }]);
    expect(joined(chunks).content).toBe('a👩b');
    expect(JSON.stringify(chunks).isWellFormed()).toBe(true);
  });
});

describe('a failure', () => {
  const failed = (code: string) => ({ ...responseOf([]), status: 'failed', error: { code, message: 'x' } });
  test.each([
    ['rate_limit_exceeded', 'rate_limited'],
    ['server_error', 'unavailable'],
    ['invalid_prompt', 'invalid_request'],
    ['image_too_large', 'invalid_request'],
    ['data_residency_mismatch', 'configuration'],
    ['context_length_exceeded', 'invalid_request'],
    ['insufficient_quota', 'rate_limited'],
    ['model_not_found', 'configuration'],
    ['server_is_overloaded', 'unavailable'],
    ['not_invented_yet', 'unavailable'],
  ])('%s is %s: whole, in its last frame, and as a separate frame', (code, kind) => {
    const thrown = expect.objectContaining({ name: 'ProviderError', kind });
    expect(() => toChat(failed(code))).toThrow(thrown);
    expect(() => chunksOf([{ type: 'response.failed', response: failed(code) }])).toThrow(thrown);
    expect(() => chunksOf([{ type: 'error', code, message: 'x', param: null }])).toThrow(thrown);
  });

  test.each<[string, object]>([
    ['no output', { output: undefined }],
    ['an answer under way', { status: 'in_progress' }],
    ['a text that is a number', { output: [{ type: 'message', content: [{ type: 'output_text', text: 7 }] }] }],
    ['a call without a name', { output: [{ type: 'function_call', call_id: 'c', arguments: '{}' }] }],
  ])('%s is malformed', (_name, changes) => {
    const response = { ...responseOf([]), ...changes } as JsonObject;
    expect(() => toChat(response)).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test.each<[string, AnswerFrame]>([
    ['of no item', { type: 'response.function_call_arguments.delta', delta: 'x' }],
    ['of no call', { type: 'response.function_call_arguments.delta', output_index: 4, delta: 'x' }],
    ['without its text', { type: 'response.output_text.delta', output_index: 0, content_index: 0 }],
    ['that ends nothing', { type: 'response.completed' }],
  ])('a frame %s is malformed', (_what, frame) => {
    expect(() => chunksOf([frame])).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test('a stream without a last frame is unavailable', () => {
    expect(() => chunksOf(framesOf(outputOf(['said'])).slice(0, -1))).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });
});
