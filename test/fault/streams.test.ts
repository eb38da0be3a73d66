import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endingsOf, readStream, type StreamReader } from '../harness/stream-reader.ts';
import { chunk, ofType, StreamScene } from '../harness/stream-scene.ts';
import { evidenceByRun } from './ledger-of.ts';

let scene: StreamScene;
beforeEach(async () => {
  scene = await StreamScene.start();
});
afterEach(() => scene.close());

/** For one that is killed, a process of its own. */
async function startAgain(): Promise<void> {
  await scene.gateway.stop();
  scene.gateway.here = false;
  await scene.gateway.launch();
}

const PIECES = ['a text that is long enough to leave '];

/** A stream of which the first frame has come, and which the upstream holds. */
async function heldStream(model: string) {
  const { live, reading, disconnected } = await scene.begin(model, PIECES);
  const reader = await reading;
  await reader.next();
  return { live, reader, disconnected };
}

/** What comes until the connection breaks. */
async function untilBroken(reader: StreamReader): Promise<void> {
  await reader.rest().catch(() => undefined);
}

describe('kill -9 in the middle of streams', () => {
  it('leaves running rows, which the next start ends with evidence', async () => {
    await startAgain();
    const streams = [];
    for (const model of ['open', 'window', 'post']) streams.push(await heldStream(model));
    for (const { reader } of streams) expect(await scene.status(reader.run_id)).toBe('running');
    await scene.gateway.stop('SIGKILL');
    for (const { reader } of streams) {
      await untilBroken(reader);
      expect(reader.done).toBe(false);
    }

    await scene.gateway.launch();
    const evidence = await evidenceByRun(scene.gateway);
    for (const { reader } of streams) {
      const events = await scene.events(reader.run_id);
      expect(ofType(events, 'interrupted')).toHaveLength(1);
      expect(evidence.get(reader.run_id)).toMatchObject({ status: 'error', principal_id: 'alice', events });
    }
  });
});

describe('SIGTERM in the middle of a stream', () => {
  it('a stream that ends in time completes; after 5 s the other gets an error frame, and both have evidence', async () => {
    const [inTime, late] = [await heldStream('window'), await heldStream('post')];
    const since = performance.now();
    const ended = scene.gateway.stop();
    await scene.gateway.logged('stopping');
    await inTime.live.send(chunk({ content: 'end' }, { finish_reason: 'stop' }));
    await inTime.live.done();
    const frames = await inTime.reader.rest();
    expect(frames.at(-1)).toMatchObject({ svc_run_id: inTime.reader.run_id, choices: [{ finish_reason: 'stop' }] });
    expect(inTime.reader.done).toBe(true);

    const last = (await late.reader.rest()).at(-1);
    expect(last).toMatchObject({
      error: { code: 'SVC-BUSY-002' },
      svc_run_id: late.reader.run_id,
      svc_evidence: expect.any(String),
    });
    expect(late.reader.done).toBe(true);
    await late.disconnected;
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeGreaterThan(4500);

    await scene.gateway.launch();
    const evidence = await evidenceByRun(scene.gateway);
    expect(evidence.get(inTime.reader.run_id)).toMatchObject({ status: 'completed' });
    const record = evidence.get(late.reader.run_id);
    expect(record).toMatchObject({ status: 'error' });
    expect(`${record?.seq} ${record?.hash}`).toBe(last?.svc_evidence);
    const types = record?.events.map(({ event_type }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['provider_call', 'interrupted']));
    // What had left was looked at.
    expect(record?.events).toContainEqual(expect.objectContaining({ event_type: 'verdict', stage: 'egress', node: 'post' }));
  });
});

describe('a store that fails', () => {
  /** The store looks for its file before it writes, and fails where it is gone. */
  const folder = (): string => join(scene.gateway.folder, 'runs-db');
  const takeAway = () => rename(folder(), `${folder()}-away`);
  const bringBack = () => rename(`${folder()}-away`, folder());

  /** Streams until one fails. */
  async function firstFailure() {
    for (;;) {
      const read = await readStream(scene.gateway, 'hello', { model: 'open' });
      if (!read.done) return read;
    }
  }

  it('in the middle of a stream: an error frame without [DONE], and no sign of completion', async () => {
    await startAgain();
    const { live, reader } = await heldStream('window');
    await takeAway();
    await firstFailure();
    await live.send(chunk({ content: 'end' }, { finish_reason: 'stop' }));
    await live.done();
    const frames = await reader.rest();
    expect(frames.at(-1)).toMatchObject({ error: { code: 'SVC-STORE-001' }, svc_run_id: reader.run_id });
    expect(frames.at(-1)).not.toHaveProperty('svc_evidence');
    expect(endingsOf(frames)).toEqual([]);
    expect(reader.done).toBe(false);

    await bringBack();
    await scene.gateway.stop('SIGKILL');
    await scene.gateway.launch();
    expect((await evidenceByRun(scene.gateway)).get(reader.run_id)).toMatchObject({ status: 'error' });
  });

  it('in the middle of a stream that a guard stops: no [DONE] either', async () => {
    const { live, reader } = await heldStream('stop');
    await takeAway();
    await firstFailure();
    await live.send(chunk({ content: 'ACC-WXYZ' }));
    const frames = await reader.rest();
    expect(frames.at(-1)).toMatchObject({ error: { code: 'SVC-STORE-001' } });
    expect(reader.raw).not.toContain('ACC');
    expect(reader.done).toBe(false);
    await bringBack();
  });

  it('refuses streams meanwhile, and serves them again after a restart', async () => {
    await takeAway();
    expect((await firstFailure()).raw).toContain('SVC-STORE-001');
    const asked = scene.upstream.requests.length;
    const refused = await scene.gateway.chat('hello', { model: 'open', stream: true });
    expect(refused).toMatchObject({ status: 503, body: { code: 'SVC-STORE-001' } });
    expect(scene.upstream.requests).toHaveLength(asked);
    await bringBack();
    // What was put back may be another: only a start looks at all of it.
    expect((await scene.gateway.chat('hello', { model: 'open', stream: true })).status).toBe(503);
    await scene.gateway.stop();
    await scene.gateway.launch();
    expect((await readStream(scene.gateway, 'hello', { model: 'open' })).done).toBe(true);
  });
});
