import type { ChatCompletionChunk, ChatMessage, JsonObject } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponsesWriter } from './writer.ts';

const RUN = '01900000-0000-7000-8000-000000000001';
const ROW: RunOutcome['row'] = {
  run_id: RUN,
  route: 'r',
  principal_id: 'alice',
  status: 'completed',
  approvers: [],
  events: [],
  config_digest: '',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: null,
  approver: null,
  owner: '',
  version: 1,
  evidence: { seq: 7, hash: 'sha256:00' },
};
const NOTHING = { row: ROW, events: [], completion: null, stop: null, tail: null, error: null, paid: false } as const;
const HEAD = { id: `chatcmpl-${RUN}`, created: 1, model: 'r' } as const;
const SPACED = new Map([['crm__find', { namespace: 'crm', name: 'find' }]]);
const writer = () => new ResponsesWriter('r', {}, SPACED);

function answered(message: Partial<ChatMessage>, finish_reason = 'stop'): RunOutcome {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }];
  return { ...NOTHING, completion: { ...HEAD, object: 'chat.completion', choices, usage } };
}

function eventsOf(text: string): JsonObject[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      const parsed = JSON.parse(data ?? '') as JsonObject;
      expect(parsed.type).toBe(name);
      return parsed;
    });
}

const typesOf = (events: readonly JsonObject[]) => events.map(({ type }) => String(type).replace('response.', ''));

/** Pieces of one choice, and how it ends. */
function stream(deltas: readonly Record<string, unknown>[], finish_reason = 'stop'): JsonObject[] {
  const chunk = (delta: Record<string, unknown>, reason: string | null = null): ChatCompletionChunk => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const to = writer();
  const pieces = deltas.map((delta) => to.piece(chunk(delta)));
  return eventsOf(pieces.join('') + to.end({ ...NOTHING, tail: [chunk({}, finish_reason)] }));
}

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
  it('of a stop is incomplete, and its refusal says why', () => {
    const stop = { kind: 'blocked', stage: 'ingress', node: 'words', code: 'wire' } as const;
    expect(writer().whole({ ...NOTHING, stop })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'message', content: [{ type: 'refusal', refusal: expect.stringContaining('"words" (wire)') }] }],
      svc_run_id: RUN,
    });
  });

  it('has its sources with its text', () => {
    const url_citation = { start_index: 0, end_index: 2, url: 'https://example.org', title: 'T' };
    expect(writer().whole(answered({ content: 'Hi', annotations: [{ type: 'url_citation', url_citation }] }))).toMatchObject({
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
        const events = eventsOf(writer().end(outcome));
        expect(events.at(-1)?.response).toEqual(JSON.parse(JSON.stringify(writer().whole(outcome))));
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
