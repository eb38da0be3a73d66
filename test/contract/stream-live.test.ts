import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, held } from '../fixtures/upstream.ts';
import { readStream, StreamReader, textOf } from '../harness/stream-reader.ts';
import { chunk, routeTo, StreamScene, usageChunk } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start({
    routes: {
      mixed: routeTo('upstream', ['window', 'whole']),
      unscannable: routeTo('upstream', ['window'], { unscannable: 'block' }),
    },
    server: { record_content: true },
  });
});
afterAll(() => scene.close());

const PIECES = ['one is enough ', 'to come out ', 'of any window '];

describe.each(['open', 'window', 'stop', 'post'])('the route %s', (model) => {
  it('sends received text before the upstream continues; the run is on disk as running', async () => {
    const { live, reading } = await scene.begin(model, PIECES.slice(0, 1));
    const reader = await reading;
    const first = await reader.next();
    expect(PIECES[0]?.startsWith(textOf(first === null ? [] : [first]))).toBe(true);
    expect(reader.response.headers.get('content-type')).toContain('text/event-stream');
    expect(await scene.status(reader.run_id)).toBe('running');
    expect(await scene.evidence(reader.run_id)).toEqual([]);

    for (const content of PIECES.slice(1)) await live.send(chunk({ content }));
    await live.send(chunk({}, { finish_reason: 'stop' }));
    await live.done();
    const frames = [...(first === null ? [] : [first]), ...(await reader.rest())];
    expect(textOf(frames)).toBe(PIECES.join(''));
    expect(reader.done).toBe(true);
  });

  it('has its evidence in the ledger before the last frames are sent', async () => {
    const { live, reading } = await scene.begin(model, PIECES);
    const reader = await reading;
    await live.send(chunk({}, { finish_reason: 'stop' }));
    await live.done();
    let frame = await reader.next();
    while (frame?.choices.every(({ finish_reason }) => finish_reason === null)) frame = await reader.next();
    expect(frame?.choices).toMatchObject([{ finish_reason: 'stop' }]);
    expect(await scene.evidence(reader.run_id)).toMatchObject([{ status: 'completed' }]);
    expect(await scene.status(reader.run_id)).toBe('completed');
    await reader.rest();
  });

  it('stores the answer as it was sent if content is recorded', async () => {
    const { live, reading } = await scene.begin(model, PIECES, { n: 2 });
    const reader = await reading;
    await live.send(chunk({ role: 'assistant', content: 'the second' }, { index: 1 }));
    for (const index of [0, 1]) await live.send(chunk({}, { index, finish_reason: index === 0 ? 'stop' : 'length' }));
    await live.send(usageChunk(3, 5));
    await live.done();
    const frames = await reader.rest();
    const { status, body } = await scene.gateway.get(`/v1/runs/${reader.run_id}/response`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'completed',
      response: PIECES.join(''),
      completion: {
        object: 'chat.completion',
        id: frames[0]?.id,
        model,
        choices: [
          { index: 0, message: { role: 'assistant', content: PIECES.join('') }, finish_reason: 'stop' },
          { index: 1, message: { role: 'assistant', content: 'the second' }, finish_reason: 'length' },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
      },
    });
  });
});

describe.each(['whole', 'mixed', 'unscannable'])('the route %s, of which not every node streams,', (model) => {
  it('sends nothing before the upstream has ended', async () => {
    const slow = held(answer(PIECES.join('')));
    scene.upstream.respond(slow.behaviour);
    const asked = scene.upstream.received(scene.upstream.requests.length + 1);
    let answered = false;
    const answering = StreamReader.ask(scene.gateway, 'hello', { model }).then((reader) => {
      answered = true;
      return reader;
    });
    expect((await asked).body).not.toHaveProperty('stream');
    // Others are answered meanwhile; by then what there was would have left.
    for (let n = 0; n < 5; n += 1) await readStream(scene.gateway, 'other', { model: 'open' });
    expect(answered).toBe(false);
    slow.release();
    const reader = await answering;
    expect(textOf(await reader.rest())).toBe(PIECES.join(''));
    expect(reader.done).toBe(true);
  });
});
