import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SSE_HEADERS, stalled } from '../fixtures/upstream.ts';
import { StreamReader, textOf } from '../harness/stream-reader.ts';
import { chunk, ofType, StreamScene, usageChunk } from '../harness/stream-scene.ts';

let scene: StreamScene;
beforeAll(async () => {
  scene = await StreamScene.start();
});
afterAll(() => scene.close());

const PIECES = ['a text of some words ', 'which no one ', 'will read to its end '];

describe.each(['open', 'window', 'stop', 'post'])('a client that leaves a stream of the route %s', (model) => {
  it('closes the upstream; the run ends in error, and its usage is booked', async () => {
    const { reading, disconnected } = await scene.begin(model, PIECES);
    const reader = await reading;
    await reader.next();
    reader.leave();
    await disconnected;
    expect(await scene.ended(reader.run_id)).toBe('error');

    const events = await scene.events(reader.run_id);
    expect(ofType(events, 'disconnected')).toHaveLength(1);
    const [call] = ofType(events, 'provider_call');
    expect(call?.data).toMatchObject({ outcome: 'aborted', usage: { estimated: true } });
    const usage = call?.data.usage as JsonObject;
    expect(usage.output_tokens).toBeGreaterThan(3);
    expect(usage.input_tokens).toBeGreaterThan(0);
    const looked = ofType(events, 'verdict').filter(({ stage }) => stage === 'egress');
    expect(looked).toMatchObject(model === 'open' ? [] : [{ node: model, data: { verdict: 'allow' } }]);
    expect(await scene.evidence(reader.run_id)).toMatchObject([{ status: 'error', events }]);
  });

  it('closes the upstream even before any text was sent', async () => {
    scene.upstream.respond(stalled('', SSE_HEADERS));
    const asked = scene.upstream.received(scene.upstream.requests.length + 1);
    const leaving = new AbortController();
    const answer = StreamReader.ask(scene.gateway, 'hello', { model }, leaving);
    const left = expect(answer).rejects.toThrow();
    const { disconnected } = await asked;
    leaving.abort();
    await left;
    await disconnected;
  });

  it('does not disturb another stream', async () => {
    const stays = await scene.begin(model, PIECES);
    const leaves = await scene.begin(model, PIECES);
    const [staying, leaving] = [await stays.reading, await leaves.reading];
    leaving.leave();
    await leaves.disconnected;
    await stays.live.send(chunk({}, { finish_reason: 'stop' }));
    await stays.live.send(usageChunk(1, 2));
    await stays.live.done();
    expect(textOf(await staying.rest())).toBe(PIECES.join(''));
    expect(staying.done).toBe(true);
    expect(await scene.ended(leaving.run_id)).toBe('error');
  });
});
