import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames as framesOf } from '../fixtures/upstream.ts';
import { choicesOf, readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, masker, ofType, routeTo, StreamScene, WORD } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    packs: { again: masker({ word: 'TWICE', replacement: WORD }), watch: { ...masker({ verdict: 'block' }), mode: 'observe' } },
    routes: {
      chained: routeTo('upstream', ['again', 'window']),
      watched: routeTo('upstream', ['watch']),
      watchedThenMasked: routeTo('upstream', ['watch', 'window']),
    },
  });
});
afterAll(() => scene.close());

/** What the caller gets of these chunks. */
async function through(model: string, list: readonly unknown[], more: JsonObject = {}) {
  scene.upstream.respond(framesOf(list));
  const read = await readStream(scene.gateway, 'hello', { model, ...more });
  expect(read.done).toBe(true);
  return read;
}

const stop = (index = 0) => chunk({}, { index, finish_reason: 'stop' });
/** All ways to cut a text in two, and one by one. */
const cuts = (text: string): string[][] => [
  [...text],
  ...Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)]),
];

describe('a window guard', () => {
  const text = `to ${WORD}, ${WORD}${WORD} ACC-WX ${WORD}`;
  const masked = text.replaceAll(WORD, '***');

  it.each(cuts(text))('masks across the cut %s|%s', async (...pieces) => {
    const { frames, raw } = await through('window', [...pieces.map((content) => chunk({ content })), stop()]);
    expect(textOf(frames)).toBe(masked);
    expect(raw).not.toContain(WORD);
  });

  it.each(['content', 'refusal', 'reasoning_content'])(
    'sees the field %s, and joins no texts of other fields to it',
    async (field) => {
      const [one, two] = [WORD.slice(0, 4), WORD.slice(4)];
      const { frames } = await through('window', [chunk({ [field]: `a ${one}` }), chunk({ [field]: `${two} b` }), stop()]);
      expect(textOf(frames, 0, field)).toBe('a *** b');
      const mixed = await through('window', [chunk({ content: one, reasoning_content: one }), chunk({ refusal: two }), stop()]);
      expect(['content', 'reasoning_content', 'refusal'].map((name) => textOf(mixed.frames, 0, name))).toEqual([one, one, two]);
    },
  );

  it('sees each of three alternating choices', async () => {
    const turns = [...`${WORD} x`].flatMap((content) => [0, 1, 2].map((index) => chunk({ content }, { index })));
    const { frames, raw } = await through('window', [...turns, stop(0), stop(1), stop(2)], { n: 3 });
    expect([0, 1, 2].map((index) => textOf(frames, index))).toEqual(['*** x', '*** x', '*** x']);
    expect(raw).not.toMatch(/ACC|WXYZ/);
  });

  it('is recorded once with its mode, everything that it checked, and its findings', async () => {
    const list = [chunk({ content: WORD }), chunk({ refusal: `a ${WORD}` }, { index: 1 }), stop(), stop(1)];
    const { run_id } = await through('window', list);
    const events = await scene.events(run_id);
    const verdicts = ofType(events, 'verdict').filter(({ stage }) => stage === 'egress');
    expect(verdicts).toMatchObject([
      {
        node: 'window',
        data: {
          verdict: 'sanitize',
          code: 'word',
          mode: 'window',
          package: '@fixture/masker',
          scanned: { segments: 2, characters: 2 * WORD.length + 2, skipped: [] },
          findings: [{ entity_type: 'word', count: 2 }],
        },
      },
    ]);
    expect(await scene.evidence(run_id)).toMatchObject([{ status: 'completed', events }]);
  });
});

it('each node sees the text that earlier nodes released', async () => {
  const { frames, raw, run_id } = await through('chained', [
    ...[...`a TWICE b ${WORD}`].map((content) => chunk({ content })),
    stop(),
  ]);
  expect(textOf(frames)).toBe('a *** b ***');
  expect(raw).not.toMatch(/ACC|TWICE/);
  const verdicts = ofType(await scene.events(run_id), 'verdict').filter(({ stage }) => stage === 'egress');
  expect(verdicts.map(({ node, data }) => [node, data.findings])).toEqual([
    ['again', [{ entity_type: 'word', count: 1 }]],
    ['window', [{ entity_type: 'word', count: 2 }]],
  ]);
});

it('an observing node changes nothing, and records what it would have done', async () => {
  const list = [...[...`a ${WORD} b`].map((content) => chunk({ content })), stop()];
  const watched = await through('watched', list);
  expect(textOf(watched.frames)).toBe(`a ${WORD} b`);
  // As far as it would have looked: the rest was shown to nobody.
  const seen = {
    verdict: 'block',
    findings: [{ entity_type: 'word', count: 1 }],
    scanned: { segments: 1, characters: 2 + WORD.length },
  };
  expect(ofType(await scene.events(watched.run_id), 'observed')).toMatchObject([{ node: 'watch', data: seen }]);
  expect(await scene.status(watched.run_id)).toBe('completed');
  expect(textOf((await through('watchedThenMasked', list)).frames)).toBe('a *** b');
});

describe('tool calls', () => {
  const call = (index: number, fields: JsonObject) => chunk({ tool_calls: [{ index, ...fields }] });
  const written = (text: string) => [...text].map((piece) => call(0, { function: { arguments: piece } }));
  const list = [
    chunk({ role: 'assistant', content: null }),
    call(0, { id: 'call_0', type: 'function', function: { name: 'pay', arguments: '' } }),
    ...written(`{"to":"\\u0041CC-WXYZ","n":1}`),
    call(1, { id: 'call_1', type: 'function', function: { name: 'tell', arguments: `{"${WORD}":[true]}` } }),
    chunk({}, { finish_reason: 'tool_calls' }),
  ];
  const deltas = (frames: Parameters<typeof choicesOf>[0]) =>
    choicesOf(frames).flatMap(({ delta }) => (Array.isArray(delta.tool_calls) ? (delta.tool_calls as JsonObject[]) : []));

  it('are sent with a guard only once complete, with edited arguments', async () => {
    const { frames, raw } = await through('window', list);
    expect(deltas(frames)).toEqual([
      { index: 0, id: 'call_0', type: 'function', function: { name: 'pay', arguments: '{"to":"***","n":1}' } },
      { index: 1, id: 'call_1', type: 'function', function: { name: 'tell', arguments: '{"***":[true]}' } },
    ]);
    expect(frames.at(-1)?.choices).toMatchObject([{ finish_reason: 'tool_calls' }]);
    expect(raw).not.toMatch(/ACC|0041/);
  });

  it('are sent without a guard piece by piece', async () => {
    const { frames } = await through('open', list);
    const pieces = deltas(frames);
    expect(pieces.length).toBeGreaterThan(10);
    expect(pieces.map(({ function: called }) => (called as JsonObject).arguments).join('')).toContain('\\u0041CC-WXYZ');
  });

  it.each(['stop', 'post'])('are not sent at all if the node %s refuses them', async (model) => {
    const { frames, raw } = await through(model, list);
    expect(deltas(frames)).toEqual([]);
    expect(frames.at(-1)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
    expect(raw).not.toMatch(/ACC|0041|call_/);
  });

  it.each(['stop', 'post'])('are not sent if the node %s refuses the text beside them', async (model) => {
    const clean = call(0, { id: 'call_0', type: 'function', function: { name: 'pay', arguments: '{}' } });
    const { frames } = await through(model, [
      chunk({ content: `pay ${WORD}` }),
      clean,
      chunk({}, { finish_reason: 'tool_calls' }),
    ]);
    expect(deltas(frames)).toEqual([]);
  });
});

describe('parts that are not text', () => {
  const logprobs = { content: [{ token: WORD, bytes: null, logprob: -0.1, top_logprobs: [] }], refusal: null };
  const list = [
    { ...chunk({ content: 'a ', x_delta: WORD }, { logprobs, x_choice: WORD }), x_chunk: WORD },
    chunk({ content: 'b' }, { logprobs }),
    stop(),
  ];

  it('logprobs do not pass a guard, and unknown fields pass as the guard leaves them', async () => {
    const { frames, raw } = await through('window', list);
    expect(textOf(frames)).toBe('a b');
    expect(raw).not.toContain('ACC');
    expect(choicesOf(frames).filter(({ logprobs }) => logprobs != null)).toEqual([]);
    expect(frames[0]).toHaveProperty('x_chunk');
    expect(frames.at(-1)?.svc_left_out).toEqual(['choices.logprobs']);
  });

  it("other fields of the upstream's usage pass through the guard", async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, x_note: `from ${WORD}` };
    const last = { ...chunk({}), choices: [], usage };
    const { frames } = await through('window', [chunk({ content: 'hello' }), stop(), last], {
      stream_options: { include_usage: true },
    });
    expect(frames.at(-1)?.usage).toEqual({ ...usage, x_note: 'from ***' });
  });

  it('all are sent if there is no guard', async () => {
    const { frames } = await through('open', list);
    expect(frames[0]).toMatchObject({ x_chunk: WORD, choices: [{ logprobs, x_choice: WORD, delta: { x_delta: WORD } }] });
    expect(choicesOf(frames).filter((choice) => choice.logprobs != null)).toHaveLength(2);
  });
});
