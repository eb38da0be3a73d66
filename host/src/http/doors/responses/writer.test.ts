import { isObject, type JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, BLOCKED, eventsOf, FORM, RUN, streamed } from '../test-outcome.ts';
import { ResponsesWriter } from './writer.ts';

const SPACED = new Map([['crm__find', { namespace: 'crm', name: 'find' }]]);
const writer = (encrypted = false) => new ResponsesWriter('r', { settings: {}, spaced: SPACED, encrypted });

const typesOf = (events: readonly JsonObject[]) => events.map(({ type }) => String(type).replace('response.', ''));

const stream = (deltas: readonly Record<string, unknown>[], finish_reason?: string) => streamed(writer(), deltas, finish_reason);

const DETAIL = { type: 'reasoning.encrypted', data: 'gAAA', format: 'openai-responses-v1' };

const outputOf = (events: readonly JsonObject[]): unknown => {
  const response = events.at(-1)?.response;
  return isObject(response) ? response.output : undefined;
};

describe('encrypted reasoning', () => {
  const itemsOf = (deltas: readonly Record<string, unknown>[], encrypted: boolean) =>
    outputOf(streamed(writer(encrypted), deltas));

  it('is told with the summary before it', () => {
    const output = itemsOf([{ reasoning_content: 'Hm.' }, { reasoning_details: [DETAIL] }, { content: 'Hello' }], true);
    const summary = [{ type: 'summary_text', text: 'Hm.' }];
    expect(output).toMatchObject([{ type: 'reasoning', summary, encrypted_content: 'gAAA' }, { type: 'message' }]);
  });

  it('is an item of its own where it comes behind the text, before the calls', () => {
    const tool_calls = [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const output = itemsOf([{ content: 'Hello' }, { reasoning_details: [DETAIL], tool_calls }], true);
    expect(output).toMatchObject([
      { type: 'message' },
      { type: 'reasoning', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call' },
    ]);
  });

  it('is told to nobody else', () => {
    expect(itemsOf([{ reasoning_details: [DETAIL] }, { content: 'Hello' }], false)).toMatchObject([{ type: 'message' }]);
  });
});

it("the call of a vendor's tool is an item as its vendor tells it, with its events", () => {
  const call = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } };
  const events = stream([{ vendor_calls: [call] }, { content: 'Hello' }]);
  expect(typesOf(events).slice(2, 8)).toEqual([
    'output_item.added',
    'web_search_call.in_progress',
    'web_search_call.searching',
    'web_search_call.completed',
    'output_item.done',
    'output_item.added',
  ]);
  expect(outputOf(events)).toMatchObject([call, { type: 'message' }]);
});

describe('a streamed answer', () => {
  it('is a message of text, event by event', () => {
    const events = stream([{ role: 'assistant' }, { content: 'Hel' }, { content: 'lo' }]);
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.response).toMatchObject({ id: `resp_${RUN}`, status: 'completed', svc_evidence: '7 sha256:00' });
  });

  it('thinks first, speaks, then calls: what has ended is closed before the next begins', () => {
    const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });
    const events = stream(
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
    expect(typesOf(events)).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta'],
      ...['reasoning_summary_text.done', 'reasoning_summary_part.done', 'output_item.done'],
      ...[
        'output_item.added',
        'content_part.added',
        'output_text.delta',
        'output_text.done',
        'content_part.done',
        'output_item.done',
      ],
      ...['output_item.added', 'function_call_arguments.delta', 'output_item.added', 'custom_tool_call_input.delta'],
      ...['function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done'],
      ...['custom_tool_call_input.done', 'output_item.done', 'completed'],
    ]);
    expect(Object(events.at(-1)?.response).output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', namespace: 'crm', name: 'find', arguments: '{"a":1}', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '+' },
    ]);
  });

  it('that is cut off is incomplete', () => {
    const last = stream([{ content: 'Hel' }], 'length').at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] },
    });
  });

  it('that fails ends with response.failed, begun or not', () => {
    const types = typesOf(eventsOf(writer().failed(RUN, new Error('secret'))));
    expect(types).toEqual(['created', 'in_progress', 'failed']);
    expect(writer().failed(RUN, new Error('secret'))).not.toContain('secret');
  });
});

describe('a whole answer', () => {
  it.each([
    ['content', 'output_text', 'text'],
    ['refusal', 'refusal', 'refusal'],
  ] as const)('of a stop is completed, and a part of its message says why (%s)', (field, type, name) => {
    expect(writer().whole(BLOCKED, { ...FORM, field })).toMatchObject({
      status: 'completed',
      incomplete_details: null,
      output: [{ type: 'message', status: 'completed', content: [{ type, [name]: expect.stringContaining('"words" (wire)') }] }],
      svc_event: 'blocked',
      svc_run_id: RUN,
    });
  });

  it('has its sources with its text', () => {
    const url_citation = { start_index: 0, end_index: 2, url: 'https://example.org', title: 'T' };
    expect(
      writer().whole(answered({ content: 'Hi', annotations: [{ type: 'url_citation', url_citation }] }), FORM),
    ).toMatchObject({
      output: [{ content: [{ text: 'Hi', annotations: [{ type: 'url_citation', ...url_citation }] }] }],
    });
  });

  it('is what its events would have come to', () => {
    const text = fc.string({ minLength: 1, maxLength: 8 });
    const call = fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) });
    const message = fc.record(
      { content: text, refusal: text, reasoning_content: text, tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'), (said, reason) => {
        const outcome = answered(said, reason);
        const events = eventsOf([...writer().end(outcome, FORM)].join(''));
        expect(events.at(-1)?.response).toEqual(JSON.parse(JSON.stringify(writer().whole(outcome, FORM))));
        const joined = (type: string) => events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
        expect(joined('response.output_text.delta')).toBe(said.content ?? '');
        expect(joined('response.refusal.delta')).toBe(said.refusal ?? '');
        expect(joined('response.function_call_arguments.delta')).toBe(
          (said.tool_calls ?? []).map((made) => made.function.arguments).join(''),
        );
      }),
    );
  });
});
