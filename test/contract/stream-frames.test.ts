import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frames as framesOf } from '../fixtures/upstream.ts';
import { choicesOf, endingsOf, readStream, textOf } from '../harness/stream-reader.ts';
import { chunk, routeTo, StreamScene } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    routes: {
      echo: routeTo('local', []),
      masked: routeTo('local', ['window']),
    },
  });
});
afterAll(() => scene.close());

const QUESTION = 'a  b\n\nc \u{1F600} d';
const ROUTES = ['echo', 'masked', 'open', 'window', 'whole'];

describe.each(ROUTES)('a stream of the route %s', (model) => {
  it('has chat.completion.chunk frames with one id and model, and ends with [DONE]', async () => {
    const { frames, done } = await readStream(scene.gateway, QUESTION, { model });
    expect(done).toBe(true);
    expect(new Set(frames.map(({ object, id, model }) => `${object} ${id} ${model}`)).size).toBe(1);
    expect(frames[0]).toMatchObject({ object: 'chat.completion.chunk', model });
  });

  it('has the role once and the end once for each choice, the role first and the end last', async () => {
    const { frames } = await readStream(scene.gateway, QUESTION, { model, n: 3 });
    for (const index of [0, 1, 2]) {
      const choices = choicesOf(frames, index);
      expect(choices.map(({ delta }) => delta.role ?? null)).toEqual(['assistant', ...choices.slice(1).map(() => null)]);
      expect(choices.map(({ finish_reason }) => finish_reason)).toEqual([...choices.slice(1).map(() => null), 'stop']);
    }
  });

  it('equals, when joined, the non-streamed answer', async () => {
    const { frames } = await readStream(scene.gateway, QUESTION, { model, n: 2 });
    const { body } = await scene.gateway.chat(QUESTION, { model, n: 2 });
    for (const { index, message, finish_reason } of body.choices) {
      expect(textOf(frames, index)).toBe(message.content);
      expect(endingsOf(frames)).toContainEqual([index, finish_reason]);
    }
  });

  it('has its receipts in the very last frame only, and they name the evidence of the run', async () => {
    const { frames, run_id } = await readStream(scene.gateway, QUESTION, { model, stream_options: { include_usage: true } });
    const [evidence] = await scene.evidence(run_id);
    expect(evidence).toMatchObject({ status: 'completed' });
    expect(frames.at(-1)).toMatchObject({ svc_run_id: run_id, svc_evidence: `${evidence?.seq} ${evidence?.hash}` });
    for (const frame of frames.slice(0, -1)) expect(Object.keys(frame).filter((key) => key.startsWith('svc_'))).toEqual([]);
  });
});

describe.each(['open', 'window'])('fields that the upstream of the route %s omits', (model) => {
  const stream = (...list: unknown[]) => {
    scene.upstream.respond(framesOf(list));
    return readStream(scene.gateway, QUESTION, { model });
  };

  it('choices may alternate, and end at different times', async () => {
    const { frames } = await stream(
      chunk({ content: 'a' }, { index: 1 }),
      chunk({ content: 'b' }, { index: 0 }),
      chunk({ content: 'c' }, { index: 1, finish_reason: 'length' }),
      chunk({ content: 'd' }, { index: 2 }),
      chunk({ content: 'e' }, { index: 0, finish_reason: 'stop' }),
      chunk({}, { index: 2, finish_reason: 'stop' }),
    );
    expect([0, 1, 2].map((index) => textOf(frames, index))).toEqual(['be', 'ac', 'd']);
    expect(endingsOf(frames).sort()).toEqual([
      [0, 'stop'],
      [1, 'length'],
      [2, 'stop'],
    ]);
  });

  it('one chunk may contain several choices', async () => {
    const both = (content: string) => ({
      ...chunk({}),
      choices: [0, 1].map((index) => ({ index, delta: { content: `${content}${index}` }, finish_reason: null })),
    });
    const { frames } = await stream(
      both('a'),
      both('b'),
      chunk({}, { finish_reason: 'stop' }),
      chunk({}, { index: 1, finish_reason: 'stop' }),
    );
    expect([textOf(frames, 0), textOf(frames, 1)]).toEqual(['a0b0', 'a1b1']);
  });

  it('a repeated role is sent once', async () => {
    const { frames } = await stream(
      chunk({ role: 'assistant', content: 'a' }),
      chunk({ role: 'assistant', content: 'b' }, { finish_reason: 'stop' }),
    );
    expect(choicesOf(frames).filter(({ delta }) => 'role' in delta)).toHaveLength(1);
    expect(textOf(frames)).toBe('ab');
  });

  it("an unknown finish reason is passed on, and is 'other' in the event", async () => {
    const { frames, run_id } = await stream(chunk({ content: 'a' }), chunk({}, { finish_reason: 'not_invented_yet' }));
    expect(endingsOf(frames)).toEqual([[0, 'not_invented_yet']]);
    const call = (await scene.events(run_id)).find(({ event_type }) => event_type === 'provider_call');
    expect(call?.data).toMatchObject({ outcome: 'answered', finish_reason: 'other' });
  });

  it.each([
    ['eos', 'stop'],
    ['MAX_TOKENS', 'length'],
  ])('the finish reason %s of a vendor is %s', async (said, finish_reason) => {
    const { frames, run_id } = await stream(chunk({ content: 'a' }), chunk({}, { finish_reason: said }));
    expect(endingsOf(frames)).toEqual([[0, finish_reason]]);
    const call = (await scene.events(run_id)).find(({ event_type }) => event_type === 'provider_call');
    expect(call?.data).toMatchObject({ outcome: 'answered', finish_reason });
  });

  it('an answer without text still has role and end', async () => {
    const { frames, done } = await stream(chunk({ role: 'assistant', content: '' }), chunk({}, { finish_reason: 'stop' }));
    expect(done).toBe(true);
    expect(choicesOf(frames)).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ]);
  });
});
