import { type AnswerFrame, isObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { objectsIn } from '../../common/json-shapes.ts';
import { RESPONSES_FRAMES } from './protocol-frames.ts';
import { framesOf, responseOf } from './test-frames.ts';

const ITEMS = [
  {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    content: [{ type: 'reasoning_text', text: 'So.' }],
    encrypted_content: 'gAAA',
  },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Look there.', annotations: [{ type: 'url_citation', url: 'u' }], logprobs: [] },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
  { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"x":1}', status: 'completed' },
  { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: '+' },
  { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
];
const USAGE = { input_tokens: 1, output_tokens: 2, cached_input_tokens: 0, estimated: true };
const read = (frames: Iterable<AnswerFrame>) => {
  const reader = RESPONSES_FRAMES.reader();
  for (const frame of frames) reader.read(frame);
  return reader;
};
const gathered = (frames: Iterable<AnswerFrame>) => {
  const gatherer = RESPONSES_FRAMES.gatherer();
  for (const frame of frames) gatherer.take(frame);
  return gatherer.answer();
};

describe('a whole answer', () => {
  test('equals its assembled frames, whether the last frame contains everything or not', () => {
    fc.assert(
      fc.property(fc.subarray(ITEMS), fc.boolean(), (items, says) => {
        const answer = responseOf(items);
        const frames = [...RESPONSES_FRAMES.framesOf(answer)];
        const told = frames.map((frame) =>
          says || frame.type !== 'response.completed' ? frame : { ...frame, response: { ...answer, output: [] } },
        );
        expect(gathered(told)).toEqual(answer);
        expect(read(told).isComplete).toBe(true);
      }),
    );
  });

  test('begins like every stream, and contains receipts only at its end', () => {
    const identity = { id: 'r1', created: 5, model: 'route' };
    const opening = RESPONSES_FRAMES.opening({ model: 'route', input: 'x', instructions: 'Be brief.' }, identity);
    expect(opening.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
    expect(opening[0]?.response).toMatchObject({
      id: 'resp_r1',
      created_at: 5,
      status: 'in_progress',
      instructions: 'Be brief.',
    });
    expect(opening.every((frame) => RESPONSES_FRAMES.isOpening(frame))).toBe(true);
    const frames = [...RESPONSES_FRAMES.framesOf(responseOf(ITEMS))].map((frame) =>
      RESPONSES_FRAMES.withReceipts(frame, { svc_run_id: 'r1' }),
    );
    expect(frames.filter(({ response }) => isObject(response) && 'svc_run_id' in response)).toHaveLength(1);
    expect(frames.at(-1)?.response).toMatchObject({ svc_run_id: 'r1' });
    expect(Object.keys(RESPONSES_FRAMES.numbered({ type: 'x', sequence_number: 9, delta: 'a' }, 3))).toEqual([
      'type',
      'sequence_number',
      'delta',
    ]);
  });
});

test('a response is complete and gives the reason for its end, wherever it ends', () => {
  const whole = framesOf(ITEMS);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: whole.length - 1 }), fc.constantFrom('content', 'refusal'), (length, as) => {
      const left = whole.slice(0, length);
      // A part is sent as a whole.
      const open = left.findLast(({ type }) => type === 'response.output_item.added');
      const isCut = !left.some(
        ({ type, output_index }) => type === 'response.output_item.done' && output_index === open?.output_index,
      );
      const isPart = isObject(open?.item) && open.item.type !== 'message' && open.item.type !== 'reasoning';
      fc.pre(!(isCut && isPart));
      const ending = RESPONSES_FRAMES.ending();
      for (const frame of left) ending.take(frame);
      const frames = [...left, ...ending.frames('Stopped.', as, USAGE)];
      const reader = read(frames);
      expect(reader.isComplete).toBe(true);
      expect(reader.facts.usage).toMatchObject({ output_tokens: 2 });
      const output = objectsIn(gathered(frames).output);
      const field = as === 'refusal' ? 'refusal' : 'text';
      expect(output.at(-1)).toMatchObject({
        type: 'message',
        content: [{ [field]: expect.stringMatching(/^(\n\n)?Stopped\.$/) }],
      });
      const done = frames.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []));
      expect(done).toEqual(output);
      const texts = left.flatMap(({ type, delta }) =>
        /(output_text|refusal|summary_text|reasoning_text).delta/.test(String(type)) ? [delta] : [],
      );
      const said = output.slice(0, -1).flatMap(({ content, summary }) => [...objectsIn(summary), ...objectsIn(content)]);
      expect(said.map(({ text, refusal }) => String(text ?? refusal ?? '')).join('')).toBe(texts.join(''));
    }),
  );
});
