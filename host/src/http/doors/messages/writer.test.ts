import { SvcError } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, BLOCKED, eventsOf, FORM, RUN, streamed } from '../test-outcome.ts';
import { MessagesWriter } from './writer.ts';

const writer = () => new MessagesWriter('r');
const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] });

describe('a streamed answer', () => {
  it('is of blocks that follow each other; calls come last, whole', () => {
    const events = streamed(
      writer(),
      [
        { role: 'assistant' },
        { reasoning_content: 'Hm.' },
        { content: 'I ' },
        { content: 'look.' },
        call(0, { id: 'call_1', type: 'function', function: { name: 'see', arguments: '{"a":' } }),
        call(1, { id: 'call_2', type: 'function', function: { name: 'go', arguments: '' } }),
        call(0, { function: { arguments: '1}' } }),
      ],
      'tool_calls',
    );
    const told = events.map(({ type, index, delta, content_block }) => [type, index, Object(delta ?? content_block).type]);
    expect(told).toEqual([
      ['message_start', undefined, undefined],
      ['content_block_start', 0, 'thinking'],
      ['content_block_delta', 0, 'thinking_delta'],
      ['content_block_stop', 0, undefined],
      ['content_block_start', 1, 'text'],
      ['content_block_delta', 1, 'text_delta'],
      ['content_block_delta', 1, 'text_delta'],
      ['content_block_stop', 1, undefined],
      ['content_block_start', 2, 'tool_use'],
      ['content_block_delta', 2, 'input_json_delta'],
      ['content_block_stop', 2, undefined],
      ['content_block_start', 3, 'tool_use'],
      ['content_block_delta', 3, 'input_json_delta'],
      ['content_block_stop', 3, undefined],
      ['message_delta', undefined, undefined],
      ['message_stop', undefined, undefined],
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, svc_run_id: RUN, svc_evidence: '7 sha256:00' });
  });

  const SIGNED = { type: 'thinking', thinking: 'Hm. So.', signature: 'QUJD' };
  const REDACTED = { type: 'redacted_thinking', data: 'REVG' };
  const blocksOf = (deltas: Record<string, unknown>[]) =>
    streamed(writer(), [{ role: 'assistant' }, ...deltas], 'stop')
      .filter(({ type }) => String(type).startsWith('content_block'))
      .map(({ index, delta, content_block }) => {
        const { type, ...rest } = Object(delta ?? content_block);
        return delta === undefined && content_block !== undefined ? `${index} ${type}` : [index, ...Object.values(rest)];
      });

  it('signs thinking before the block ends, and goes on with the next', () => {
    const deltas = [
      { reasoning_content: 'Hm. ' },
      { reasoning_content: 'So.' },
      { thinking_blocks: [SIGNED] },
      { thinking_blocks: [REDACTED] },
      { reasoning_content: 'And' },
      { thinking_blocks: [{ type: 'thinking', thinking: 'And', signature: 'R0hJ' }] },
      { content: 'Yes.' },
    ];
    expect(blocksOf(deltas)).toEqual([
      '0 thinking',
      [0, 'Hm. '],
      [0, 'So.'],
      [0, 'QUJD'],
      [0],
      '1 redacted_thinking',
      [1],
      '2 thinking',
      [2, 'And'],
      [2, 'R0hJ'],
      [2],
      '3 text',
      [3, 'Yes.'],
      [3],
    ]);
  });

  it('writes what a guard still held of the text before its signature, and not again when it comes', () => {
    const deltas = [
      { reasoning_content: 'Hm.' },
      { thinking_blocks: [SIGNED] },
      { content: 'Yes.' },
      { reasoning_content: ' So' },
      { reasoning_content: '.' },
    ];
    const expected = ['0 thinking', [0, 'Hm.'], [0, ' So.'], [0, 'QUJD'], [0], '1 text', [1, 'Yes.'], [1]];
    expect(blocksOf(deltas)).toEqual(expected);
  });

  it('writes one text for one signature, where a guard edited the block in another way', () => {
    const other = { ...SIGNED, thinking: 'Something else' };
    expect(blocksOf([{ reasoning_content: 'Hm.' }, { thinking_blocks: [other] }, { content: 'Yes.' }])).toEqual([
      '0 thinking',
      [0, 'Hm.'],
      [0, 'QUJD'],
      [0],
      '1 text',
      [1, 'Yes.'],
      [1],
    ]);
  });

  it('that fails ends with an error, begun or not', () => {
    const [event] = eventsOf(writer().failed(RUN, new SvcError('SVC-BUSY-001', 'busy')));
    expect(event).toMatchObject({ type: 'error', error: { type: 'overloaded_error', code: 'SVC-BUSY-001' }, svc_run_id: RUN });
    expect(writer().failed(RUN, new Error('secret'))).not.toContain('secret');
  });
});

describe('a whole answer', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ])('that ends with %s has the stop_reason %s', (finish_reason, stop_reason) => {
    expect(writer().whole(answered({ content: 'Hi' }, finish_reason), FORM)).toMatchObject({
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason,
      usage: { input_tokens: 3, output_tokens: 2 },
    });
  });

  it('of a stop is a text that ends the turn', () => {
    expect(writer().whole(BLOCKED, FORM)).toMatchObject({
      id: `msg_${RUN}`,
      content: [{ type: 'text', text: expect.stringContaining('"words" (wire)') }],
      stop_reason: 'end_turn',
      stop_details: null,
      svc_event: 'blocked',
      svc_run_id: RUN,
    });
  });

  it('of a stop is a refusal that explains itself, where that is the form', () => {
    const text = expect.stringContaining('"words" (wire)');
    expect(writer().whole(BLOCKED, { ...FORM, field: 'refusal' })).toMatchObject({
      content: [{ type: 'text', text }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: text },
      svc_event: 'blocked',
    });
  });

  it.each([
    ['', {}],
    ['[1]', { arguments: [1] }],
    ['{"a', { arguments: '{"a' }],
  ])('has an object as input, whatever the model wrote: %s', (written, input) => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: written } }];
    expect(writer().whole(answered({ tool_calls }, 'tool_calls'), FORM)).toMatchObject({
      content: [{ type: 'tool_use', input }],
    });
  });

  it('gives thinking back as its blocks, and tells what was written to the cache', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm.', signature: 'QUJD' },
      { type: 'redacted_thinking', data: 'REVG' },
      { type: 'thinking', thinking: '', signature: 'R0hJ' },
    ];
    const outcome = answered({ content: 'Hi', reasoning_content: 'Hm.', thinking_blocks }, 'stop');
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    const details = { cached_tokens: 4, cache_creation_tokens: 3 };
    const { completion } = outcome;
    if (completion === null) throw new Error('no answer');
    const told = { ...outcome, completion: { ...completion, usage: { ...usage, prompt_tokens_details: details } } };
    expect(writer().whole(told, FORM)).toMatchObject({
      content: [...thinking_blocks, { type: 'text', text: 'Hi' }],
      usage: { input_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
    });
  });

  it('is what its events would have come to', () => {
    const text = fc.string({ minLength: 1, maxLength: 8 });
    const made = fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) });
    const message = fc.record(
      { content: text, refusal: text, reasoning_content: text, tool_calls: fc.array(made, { minLength: 1, maxLength: 3 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'), (said, reason) => {
        const events = eventsOf([...writer().end(answered(said, reason), FORM)].join(''));
        const whole = JSON.parse(JSON.stringify(writer().whole(answered(said, reason), FORM)));
        const joined = (kind: string, field: string) =>
          events.flatMap(({ delta }) => (Object(delta).type === kind ? [Object(delta)[field]] : [])).join('');
        expect(joined('text_delta', 'text')).toBe((said.content ?? '') + (said.refusal ?? ''));
        expect(joined('thinking_delta', 'thinking')).toBe(said.reasoning_content ?? '');
        const begun = events.flatMap(({ type, content_block }) => (type === 'content_block_start' ? [content_block] : []));
        expect(begun.map((block) => Object(block).type)).toEqual(whole.content.map(({ type }: { type: string }) => type));
        expect(events.at(-2)).toMatchObject({ delta: { stop_reason: whole.stop_reason }, usage: whole.usage });
      }),
    );
  });
});
