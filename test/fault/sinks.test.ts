import { describe, expect, it } from 'vitest';
import { type Manner, takes } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { answers, drips, hangs, redirects, resets, SinkScene, wavers } from './sink-scene.ts';

describe('a sink that', () => {
  it.each<[string, Manner, string]>([
    ['hangs', hangs, 'TIMEOUT'],
    ['drips its answer', drips, 'TIMEOUT'],
    ['resets within its answer', resets, 'UND_ERR_SOCKET'],
    ['answers 500', answers(500), 'HTTP_500'],
    ['answers 429', answers(429), 'HTTP_429'],
    ['redirects', redirects, 'HTTP_301'],
    ['wants another signature', answers(401), 'HTTP_401'],
    ['takes one of two', wavers(), 'HTTP_503'],
  ])(
    '%s slows no request and no other sink, and gets everything in order when it is well',
    {
      timeout: 180_000,
    },
    async (_, manner, reason) => {
      await using scene = await SinkScene.open(manner);
      const { gateway, troubled } = scene;
      await scene.chats(30);
      await scene.othersComplete();
      await expect.poll(() => scene.reason(), { timeout: 30_000 }).toBe(reason);
      expect(await scene.metric('svc_exporter_failures_total')).toBeGreaterThan(0);
      await gateway.stop('SIGKILL');
      await gateway.launch();
      await scene.chats(30);
      await scene.othersComplete();
      troubled.manner = takes;
      await scene.complete();
      await expect.poll(() => scene.metric('svc_exporter_lag_records')).toBe(0);
      expect(await scene.reason()).toBeUndefined();
      expect(await gateway.stop()).toBe(0);
    },
  );

  it('refuses connections is told by its lag, and gets everything in order when it is there', { timeout: 180_000 }, async () => {
    await using scene = await SinkScene.open(takes);
    const { gateway, troubled } = scene;
    const lag = () => scene.metric('svc_exporter_lag_records');
    // A record that it took, but whose answer the gateway did not get, would count as missing.
    await expect.poll(lag, { timeout: 30_000 }).toBe(0);
    await troubled.close();
    await scene.chats(30);
    await scene.othersComplete();
    await expect.poll(() => scene.reason(), { timeout: 30_000 }).toBe('ECONNREFUSED');
    const missing = scene.well.kept.length - troubled.kept.length;
    expect(await lag()).toBe(missing);
    await gateway.stop();
    await gateway.launch();
    await troubled.listen();
    await scene.complete();
  });

  it('asks for a pause gets it', { timeout: 120_000 }, async () => {
    const at: number[] = [];
    await using scene = await SinkScene.open((response, asked) => {
      at.push(performance.now());
      return at.length === 1 ? answers(429, { 'retry-after': '3' })(response, asked) : takes(response, asked);
      // On a busy machine the answer itself may be late; it is not to be taken for a timeout.
    }, 10_000);
    await scene.chats(5);
    await scene.complete();
    const [refused = 0, again = 0] = at;
    expect(again - refused).toBeGreaterThan(2_990);
  });
});

const MANNERS: readonly [string, () => Manner][] = [
  ['takes', () => takes],
  ['hangs', () => hangs],
  ['drips', () => drips],
  ['resets', () => resets],
  ['fails', () => answers(500)],
  ['wavers', wavers],
];

it(`whatever a sink does, through kills and restarts, it has the ledger in the end (SVC_FAULT_SEED=${SEED})`, {
  timeout: ROUNDS_TIMEOUT_MS,
}, async () => {
  await using scene = await SinkScene.open(takes);
  const { gateway, troubled, well } = scene;
  for (const round of rounds(6, 100)) {
    for (const [name, sink] of Object.entries({ troubled, well })) {
      sink.manner = MANNERS[pick(`${name} ${round}`, MANNERS.length)]?.[1]() ?? takes;
    }
    const asked = troubled.asked.length + pick(`asked ${round}`, 4);
    await scene.chats(1 + pick(`chats ${round}`, 60));
    await expect.poll(() => troubled.asked.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(asked);
    await gateway.stop(pick(`end ${round}`, 3) === 0 ? 'SIGTERM' : 'SIGKILL');
    await gateway.launch();
  }
  troubled.manner = takes;
  well.manner = takes;
  await scene.chats(1);
  await scene.othersComplete();
  await scene.complete();
});
