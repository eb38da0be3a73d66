import type { AnswerFrame, JsonObject } from '@svc/contracts';
import { cloneJson, parseExact } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectsIn } from '../../common/json-shapes.ts';
import { RESPONSES } from '../../responses.ts';
import { ResponsesReader } from './reader.ts';
import { framesOf, guarded, play } from './test-frames.ts';

const reader = () => new ResponsesReader();
const SECRET = 'sesame';
const mask = (text: string) => text.replaceAll(SECRET, '******');
const same = (text: string) => text;

const message = (...texts: string[]): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: texts.map((text) => ({ type: 'output_text', text, annotations: [] })),
});
const call = (args: string): JsonObject => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'f',
  arguments: args,
  status: 'completed',
});

const text = fc
  .array(fc.constantFrom('a', ' ', SECRET, '日', '👩', 'ses', 'same'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const item = fc.oneof(
  fc.array(text, { minLength: 1, maxLength: 2 }).map((texts) => message(...texts)),
  text.map((refusal) => ({ id: 'msg_2', type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal }] })),
  fc.array(text, { maxLength: 2 }).map((texts) => ({
    id: 'rs_1',
    type: 'reasoning',
    summary: texts.map((each) => ({ type: 'summary_text', text: each })),
    encrypted_content: 'gAAA',
  })),
  text.map((each) => ({ id: 'rs_2', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: each }] })),
  text.map((each) => call(JSON.stringify({ city: each }))),
  text.map((input) => ({ id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'c', input })),
  text.map((query) => ({ id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query } })),
);
const output = fc
  .array(item, { minLength: 1, maxLength: 4 })
  .map((items) => items.map((each, index): JsonObject => ({ ...each, id: `${each.id}_${index}` })));

/** The texts that a client makes of the deltas alone. */
function joined(frames: readonly AnswerFrame[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { type, delta, output_index, content_index, summary_index } of frames) {
    if (typeof delta !== 'string') continue;
    const name = JSON.stringify([type, output_index, content_index, summary_index]);
    texts.set(name, (texts.get(name) ?? '') + delta);
  }
  return texts;
}

describe('a stream', () => {
  test('is read and stays unchanged', () => {
    fc.assert(
      fc.property(output, (items) => {
        const frames = framesOf(items);
        const read = reader();
        for (const frame of frames) read.read(frame);
        expect(frames).toEqual(framesOf(items));
        expect(read.isComplete).toBe(true);
      }),
    );
  });

  test('with an edit of a guard has it in deltas and in the events that repeat them', () => {
    fc.assert(
      fc.property(output, fc.integer({ min: 1, max: 5 }), (items, size) => {
        const cut = (whole: string) =>
          [...whole].reduce<string[]>((pieces, char, at) => {
            if (at % size === 0) pieces.push('');
            pieces.push(`${pieces.pop() ?? ''}${char}`);
            return pieces;
          }, []);
        const left = play(reader(), framesOf(items, cut), mask);
        expect(JSON.stringify(left)).not.toContain(SECRET);
        expect(joined(left)).toEqual(new Map([...joined(framesOf(items, cut))].map(([name, whole]) => [name, mask(whole)])));
        const [last] = left.slice(-1);
        expect(last?.response).toMatchObject({ output: items.map((each) => guarded(each, mask)) });
        expect(left.map(({ sequence_number }) => sequence_number)).toEqual(left.map((_, index) => index));
        const added = left.flatMap(({ type, output_index }) => (type === 'response.output_item.done' ? [output_index] : []));
        expect(added).toEqual(items.map((_, index) => index));
      }),
    );
  });

  test.each(['.delta', '.added', 'part.', '_item.done'])('loses nothing if no event with %s arrives', (missing) => {
    fc.assert(
      fc.property(output, (items) => {
        // Without its beginning, a call has no pieces.
        const says = (type: string) => !type.includes(missing) && !(missing === '.added' && /arguments|call_/.test(type));
        const frames = framesOf(items, undefined, says);
        const left = play(reader(), frames, mask);
        expect(left.at(-1)?.response).toMatchObject({ output: items.map((each) => guarded(each, mask)) });
        expect(JSON.stringify(left)).not.toContain(SECRET);
        expect(play(reader(), frames, same).length).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('has its content even if only the end contains it', () => {
    const frames = framesOf([message('Hello'), call('{"x":1}')], undefined, (type) => type === 'response.completed');
    expect(play(reader(), frames, same)).toEqual(frames);
    const gatherer = RESPONSES.frames?.gatherer();
    for (const frame of frames) gatherer?.take(frame);
    expect(objectsIn(gatherer?.answer().output)).toHaveLength(2);
  });

  test('is assembled from its items if its end does not contain them', () => {
    const items = [message('Hello'), call('{"x":1}')];
    const frames = framesOf(items).map((frame) =>
      frame.type === 'response.completed' ? { ...frame, response: { ...(frame.response as object), output: [] } } : frame,
    );
    const gatherer = RESPONSES.frames?.gatherer();
    for (const frame of frames) gatherer?.take(frame);
    expect(gatherer?.answer().output).toEqual(items);
    const read = reader();
    for (const frame of frames) read.read(frame);
    expect(read.facts.finish_reason).toBe('tool_calls');
  });
});

describe('a piece', () => {
  const delta = (fields: object) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, ...fields });

  test('names the place of its text in a whole answer', () => {
    const read = reader();
    read.read({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } });
    expect(read.read(delta({ delta: 'Hel' })).pieces).toEqual([{ channel: 'output.0.content.0.text', place: ['delta'] }]);
    expect(read.pathOf('output.0.content.0.text')).toBe('output.0.content.0.text');
    expect(read.pieceOf('output.0.content.0.text', 'lo')).toEqual(delta({ delta: 'lo', logprobs: [] }));
  });

  test('of unknown content is a piece of a separate text', () => {
    const read = reader();
    const of = (text: string) => ({ type: 'response.new.delta', output_index: 0, delta: { said: text, kind: 'x' } });
    const left = play(read, [of('ses'), of('ame'), ...framesOf([message('a')]).slice(-1)], mask);
    expect(JSON.stringify(left)).not.toContain('ses');
    expect(left.slice(0, 2)).toMatchObject([{ delta: { said: '******' } }, { delta: { kind: 'xx' } }]);
  });

  test('belongs to the item that began last if an upstream numbers items wrongly', () => {
    const frames = [message('ses'), message('ame')].flatMap((item) => framesOf([item]).slice(2, -1));
    const left = play(reader(), frames, (whole) => `<${whole}>`);
    const deltas = left.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : []));
    expect(deltas).toEqual(['<ses>', '<ame>']);
    const read = reader();
    const channels = frames.flatMap((frame) => read.read(frame).pieces.map(({ channel }) => channel));
    expect(new Set(channels).size).toBe(2);
    expect(new Set(channels.map((channel) => read.pathOf(channel)))).toEqual(new Set(['output.0.content.0.text']));
  });

  test('may come with the beginning of its item or part', () => {
    const begun = { type: 'response.output_item.added', output_index: 0, item: message('ses') };
    const part = {
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: 'a' },
    };
    const left = play(reader(), [begun, part, delta({ delta: 'me' }), ...framesOf([]).slice(-1)], mask);
    expect(joined(left)).toEqual(new Map([[JSON.stringify(['response.output_text.delta', 0, 0, null]), '******']]));
  });

  test('names its item by an id, as the end of a response may do', () => {
    const read = reader();
    const added = { type: 'response.output_item.added', output_index: 0, item: { ...message(), content: [] } };
    expect(read.read(added).ids).toEqual([['item', 'id']]);
    expect(read.read(delta({ item_id: 'Jane', delta: 'a' }))).toMatchObject({
      ids: [['item_id']],
      pieces: [{ place: ['delta'] }],
    });
    const [end] = framesOf([]).slice(-1);
    expect(read.read({ ...end, item_id: 'Jane' }).ids).toEqual([['item_id']]);
  });
});

describe('a call', () => {
  const frames = framesOf([call('{"city":"sesame"}')]).slice(2, -1);

  test('is one part from its beginning to its end', () => {
    const read = reader();
    const parts = frames.map((frame) => read.read(frame).part);
    expect(parts.every((part) => part?.name === 'output.0')).toBe(true);
    expect(parts.map((part) => part?.isComplete)).toEqual(parts.map((_, at) => at === parts.length - 1));
    expect(read.partOf(frames)).toEqual({ path: 'output.0', value: call('{"city":"sesame"}') });
  });

  test('keeps the digits of its numbers', () => {
    const search = '{"id":"ts_1","type":"tool_search_call","arguments":{"account":12345678901234567890}}';
    const [begun, ended] = ['added', 'done'].map((step) => ({
      type: `response.output_item.${step}`,
      output_index: 0,
      item: parseExact(search),
    }));
    expect(JSON.stringify(reader().partOf([begun ?? {}, ended ?? {}]).value)).toBe(search);
    const [again] = reader().framesOf({ path: 'output.0', value: parseExact(search) as JsonObject }, [begun ?? {}, ended ?? {}]);
    expect(JSON.stringify(again?.item)).toBe(search);
  });

  test('that was edited is written again', () => {
    const read = reader();
    expect(read.framesOf({ path: 'output.0', value: call('{"city":"*"}') }, frames)).toMatchObject([
      { type: 'response.output_item.added', item: { arguments: '', status: 'in_progress', name: 'f' } },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"city":"*"}' },
      { type: 'response.function_call_arguments.done', arguments: '{"city":"*"}' },
      { type: 'response.output_item.done', item: call('{"city":"*"}') },
    ]);
  });

  test('has its arguments even if only one event contains them', () => {
    const [begun, ended] = [frames[0], frames.findLast(({ type }) => String(type).endsWith('arguments.done'))];
    const read = reader();
    const told = [begun ?? {}, ended ?? {}];
    for (const frame of told) read.read(frame);
    expect(read.partOf(told).value).toMatchObject({ arguments: '{"city":"sesame"}' });
    const last = read.read(framesOf([call('{"city":"sesame"}')]).at(-1) ?? {});
    expect(last.ends).toEqual(['output.0']);
  });

  test('with events that contradict it is shown to guards with their content', () => {
    const told = cloneJson(frames).map((frame) =>
      frame.type === 'response.output_item.done' ? { ...frame, item: call('{}') } : frame,
    );
    expect(reader().partOf(told).value).toMatchObject({ arguments: '{}', events: ['{"city":"sesame"}'] });
    const odd = [...told.slice(0, 1), { type: 'response.x', output_index: 0, sesame: 1 }, ...told.slice(-1)];
    expect(reader().partOf(odd).value).toMatchObject({ events: ['response.x', 'sesame'] });
    expect(JSON.stringify(play(reader(), [...told, ...framesOf([call('{}')]).slice(-1)], mask))).not.toContain(SECRET);
  });

  test('of a vendor tool is also a part, and two calls may alternate', () => {
    const [one, other] = [framesOf([call('{"a":1}')]).slice(2, -1), framesOf([call('{"b":1}')]).slice(2, -1)];
    const second = other.map((frame) => ({ ...frame, output_index: 1 }));
    const turns = one.flatMap((frame, at) => [frame, ...second.slice(at, at + 1)]);
    const read = reader();
    const parts = Map.groupBy(turns, (frame) => read.read(frame).part?.name);
    expect([...parts.keys()]).toEqual(['output.0', 'output.1']);
    expect(read.partOf(parts.get('output.1') ?? [])).toMatchObject({ path: 'output.1', value: { arguments: '{"b":1}' } });
  });
});

describe('a frame', () => {
  test.each<[string, AnswerFrame, string]>([
    ['of no item', { type: 'response.output_text.delta', delta: 'x' }, 'malformed'],
    ['of no part', { type: 'response.output_text.delta', output_index: 0, delta: 'x' }, 'malformed'],
    ['of no call', { type: 'response.function_call_arguments.delta', output_index: 4, delta: 'x' }, 'malformed'],
    ['without its text', { type: 'response.output_text.delta', output_index: 0, content_index: 0 }, 'malformed'],
    ['that ends nothing', { type: 'response.completed' }, 'malformed'],
    ['that is an error', { type: 'error', code: 'rate_limit_exceeded', message: 'x' }, 'rate_limited'],
    ['that holds an error', { error: { code: 'server_error' } }, 'unavailable'],
    ['that failed', { type: 'response.failed', response: { error: { code: 'invalid_prompt' } } }, 'invalid_request'],
  ])('%s is refused', (_what, frame, kind) => {
    expect(() => reader().read(frame)).toThrow(expect.objectContaining({ kind }));
  });

  test('with a piece of a text that has ended is refused', () => {
    const frames = framesOf([message('Hello')]);
    const read = reader();
    for (const frame of frames) read.read(frame);
    const more = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'x' };
    expect(() => read.read(more)).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test('is one of the last if it ends the answer, and gives the reason', () => {
    const read = reader();
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [], usage: null };
    expect(read.read({ type: 'response.incomplete', response: cut }).isLast).toBe(true);
    expect(read.facts).toEqual({ finish_reason: 'length', usage: null });
    expect(read.read({ type: 'response.done' }).isLast).toBe(true);
  });
});
