import type { AnswerFrame, ChatCompletion, ChatCompletionChunk, ChatMessage, JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RESPONSES_BRIDGE } from './bridge.ts';

const completion = (message: Partial<ChatMessage>, finish_reason = 'stop'): ChatCompletion => ({
  id: 'chatcmpl-r1',
  object: 'chat.completion',
  created: 5,
  model: 'route',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const chunk = (delta: JsonObject, finish_reason: string | null = null): ChatCompletionChunk => ({
  id: 'chatcmpl-r1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'route',
  choices: [{ index: 0, delta, finish_reason }],
});
const ASKED = {
  model: 'route',
  input: 'x',
  tools: [{ type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] }],
};
const ENCRYPTED = { ...ASKED, include: ['reasoning.encrypted_content'] };
const stream = (deltas: readonly JsonObject[], finish_reason = 'stop', asked: typeof ASKED = ASKED): AnswerFrame[] => {
  const bridge = RESPONSES_BRIDGE.framesFromChat(asked);
  return [...deltas.map((delta) => chunk(delta)), chunk({}, finish_reason)]
    .flatMap((each) => bridge.take(each))
    .concat(bridge.end());
};
const typesOf = (frames: readonly AnswerFrame[]) => frames.map(({ type }) => String(type).replace('response.', ''));
const lastOutput = (frames: readonly AnswerFrame[]): unknown => Object(frames.at(-1)?.response).output;
const DETAIL = { type: 'reasoning.encrypted', data: 'gAAA', format: 'openai-responses-v1' };

describe('a chat answer', () => {
  test('begins with thinking, then text, then calls, and closes each before the next one begins', () => {
    const call = (index: number, more: JsonObject): JsonObject => ({ tool_calls: [{ index, ...more }] });
    const frames = stream(
      [
        { reasoning_content: 'Hm.' },
        { content: 'I look.' },
        call(0, { id: 'call_1', type: 'function', function: { name: 'crm__find', arguments: '' } }),
        call(0, { function: { arguments: '{"a":' } }),
        call(1, { id: 'call_2', type: 'custom', custom: { name: 'patch', input: '+' } }),
        call(0, { function: { arguments: '1}' } }),
      ],
      'tool_calls',
    );
    expect(typesOf(frames)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
      ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
      ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'],
      ...['content_part.done', 'output_item.done'],
      ...['output_item.added', 'function_call_arguments.delta', 'output_item.added', 'custom_tool_call_input.delta'],
      ...['function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
      ...['custom_tool_call_input.done', 'output_item.done', 'completed'],
    ]);
    expect(lastOutput(frames)).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', namespace: 'crm', name: 'find', arguments: '{"a":1}', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '+' },
    ]);
  });

  test('that is cut off is incomplete', () => {
    expect(stream([{ content: 'Hel' }], 'length').at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] },
    });
  });

  test('has encrypted reasoning after the summary if the caller requests it', () => {
    const deltas = [{ reasoning_content: 'Hm.' }, { reasoning_details: [DETAIL] }, { content: 'Hello' }];
    const summary = [{ type: 'summary_text', text: 'Hm.' }];
    expect(lastOutput(stream(deltas, 'stop', ENCRYPTED))).toMatchObject([
      { type: 'reasoning', summary, encrypted_content: 'gAAA' },
      { type: 'message' },
    ]);
    expect(lastOutput(stream(deltas.slice(1)))).toMatchObject([{ type: 'message' }]);
  });

  test('has signed thinking as encrypted reasoning, which is converted back unchanged unless a guard edited its text', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'QUJD' },
      { type: 'redacted_thinking', data: 'REVG' },
    ];
    const message = { reasoning_content: 'Hm.', thinking_blocks, content: 'Hello' };
    const whole = RESPONSES_BRIDGE.answerFromChat(completion(message), ENCRYPTED).output as JsonObject[];
    const streamed = stream(
      [
        { reasoning_content: 'Hm.' },
        { thinking_blocks: thinking_blocks.slice(0, 1) },
        { thinking_blocks: thinking_blocks.slice(1) },
        { content: 'Hello' },
      ],
      'stop',
      ENCRYPTED,
    );
    expect(lastOutput(streamed)).toEqual(whole);
    const back = (input: JsonObject[]) => RESPONSES_BRIDGE.requestToChat({ model: 'r', input }).body.messages;
    expect(back(whole)).toEqual([{ role: 'assistant', content: 'Hello', thinking_blocks }]);
    const [thought, ...rest] = whole;
    const edited = { ...thought, summary: [{ type: 'summary_text', text: 'H*.' }] };
    expect(back([edited, ...rest])).toMatchObject([
      { thinking_blocks: [{ type: 'thinking', thinking: 'H*.' }, { type: 'redacted_thinking' }] },
    ]);
    expect(JSON.stringify(back([edited, ...rest]))).not.toContain('QUJD');
  });

  test('has a vendor tool call in the form of that vendor, with its frames', () => {
    const call = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
    const frames = stream([{ vendor_calls: [call] }, { content: 'Hello' }]);
    expect(typesOf(frames).slice(2, 8)).toEqual([
      ...['output_item.added', 'web_search_call.in_progress', 'web_search_call.searching', 'web_search_call.completed'],
      ...['output_item.done', 'output_item.added'],
    ]);
    expect(lastOutput(frames)).toMatchObject([call, { type: 'message' }]);
  });

  test('names the content without an equivalent in a response', () => {
    const message = { content: 'Hi', audio: { id: 'a' }, mine: 1 };
    const lost = ['choices.message.audio', 'choices.message.other'];
    const said = { ...completion(message), svc_left_out: ['choices.message.reasoning'] };
    expect(RESPONSES_BRIDGE.answerFromChat(said, ASKED).svc_left_out).toEqual(['choices.message.reasoning', ...lost]);
    expect(stream([message]).at(-1)?.svc_left_out).toEqual(lost);
  });

  test('has its sources next to its text', () => {
    const url_citation = { start_index: 0, end_index: 2, url: 'https://example.org', title: 'T' };
    const message = { content: 'Hi', annotations: [{ type: 'url_citation', url_citation }] };
    expect(RESPONSES_BRIDGE.answerFromChat(completion(message), ASKED)).toMatchObject({
      output: [{ content: [{ text: 'Hi', annotations: [{ type: 'url_citation', ...url_citation }] }] }],
    });
  });

  test('as a whole equals the sum of its frames', () => {
    const text = fc.string({ minLength: 1, maxLength: 8 });
    const call = fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) });
    const message = fc.record(
      { content: text, refusal: text, reasoning_content: text, tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'), (said, reason) => {
        const whole = RESPONSES_BRIDGE.answerFromChat(completion(said, reason), ASKED);
        const { tool_calls, ...rest } = said;
        const deltas = [{ ...rest, ...(tool_calls && { tool_calls: tool_calls.map((each, index) => ({ ...each, index })) }) }];
        expect(stream(deltas as JsonObject[], reason).at(-1)?.response).toEqual({ ...whole, usage: null });
        expect(whole.usage).toMatchObject({ input_tokens: 3, output_tokens: 2, total_tokens: 5 });
      }),
    );
  });
});
