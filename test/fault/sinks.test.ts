import { describe, expect, it } from 'vitest';
import { type Manner, takes } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { answers, drips, hangs, redirects, resets, SinkScene, wavers } from './sink-scene.ts';

/** What a sink in trouble does, and the reason that is told of it. */
const TROUBLES: Readonly<Record<string, readonly [Manner, string]>> = {
  hangs: [hangs, 'TIMEOUT'],
  drips: [drips, 'TIMEOUT'],
  resets: [resets, 'UND_ERR_SOCKET'],
  'answers-500': [answers(500), 'HTTP_500'],
  'answers-429': [answers(429), 'HTTP_429'],
  redirects: [redirects, 'HTTP_301'],
  'wants-another-signature': [answers(401), 'HTTP_401'],
  'takes-one-of-two': [wavers(), 'HTTP_503'],
};

const LONG_WAY = { timeout: 180_000 };

describe('sinks', () => {
  it('that fail slow down no request and no other sink, and get everything in order once they recover', LONG_WAY, async () => {
    const manners = Object.fromEntries(Object.entries(TROUBLES).map(([name, [manner]]) => [name, manner]));
    await using scene = await SinkScene.open(manners);
    const { gateway } = scene;
    await scene.chats(30);
    await scene.othersComplete();
    for (const [name, [, reason]] of Object.entries(TROUBLES)) {
      await expect.poll(() => scene.reason(name), { timeout: 30_000, message: name }).toBe(reason);
      expect(await scene.metric('svc_exporter_failures_total', name), name).toBeGreaterThan(0);
    }
    await gateway.stop('SIGKILL');
    await gateway.launch();
    await scene.chats(30);
    await scene.othersComplete();
    for (const name of Object.keys(TROUBLES)) scene.troubled(name).manner = takes;
    await scene.complete();
    for (const name of Object.keys(TROUBLES)) {
      await expect.poll(() => scene.metric('svc_exporter_lag_records', name), { message: name }).toBe(0);
      expect(await scene.reason(name), name).toBeUndefined();
    }
    expect(await gateway.stop()).toBe(0);
  });

  it('one that refuses connections shows as lag, and gets everything in order when it returns', LONG_WAY, async () => {
    await using scene = await SinkScene.open({ away: takes }, { here: true });
    const { gateway } = scene;
    const away = scene.troubled('away');
    const lag = () => scene.metric('svc_exporter_lag_records', 'away');
    // A record that it took, but whose answer the gateway did not get, would count as missing.
    await expect.poll(lag, { timeout: 30_000 }).toBe(0);
    await away.close();
    await scene.chats(30);
    await scene.othersComplete();
    await expect.poll(() => scene.reason('away'), { timeout: 30_000 }).toBe('ECONNREFUSED');
    const missing = scene.well.kept.length - away.kept.length;
    expect(await lag()).toBe(missing);
    await gateway.stop();
    await gateway.launch();
    await away.listen();
    await scene.complete();
  });

  it('one that requests a delay gets it', LONG_WAY, async () => {
    const at: number[] = [];
    const pauses: Manner = (response, asked) => {
      at.push(performance.now());
      return at.length === 1 ? answers(429, { 'retry-after': '3' })(response, asked) : takes(response, asked);
    };
    // On a busy machine the answer itself may be late; it is not to be taken for a timeout.
    await using scene = await SinkScene.open({ pauses }, { timeout_ms: 10_000, here: true });
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

it(`a sink finally has the whole ledger, whatever it does, despite kills and restarts (SVC_FAULT_SEED=${SEED})`, {
  timeout: ROUNDS_TIMEOUT_MS,
}, async () => {
  await using scene = await SinkScene.open({ troubled: takes });
  const { gateway, well } = scene;
  const troubled = scene.troubled('troubled');
  for (const round of rounds(4, 100)) {
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
