import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Manner, Sink, takes } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { LONG, pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { answers, assertInOrder, exportingConfig, hangs, resets, servedRecords, WEBHOOK, wavers } from './sink-scene.ts';

const LEASE = 'export/webhook';
const MANNERS: readonly (() => Manner)[] = [() => takes, () => hangs, () => answers(500), () => resets, wavers];

let sink: Sink;
let replicas: Replicas;
/** Two replicas with one sink, for the tests of a describe. */
function share(timeout_ms: number): void {
  beforeAll(async () => {
    sink = await new Sink().listen();
    replicas = await Replicas.start(inject('postgres'), exportingConfig([{ ...WEBHOOK, timeout_ms, url: sink.url }]), 2);
  });
  afterAll(async () => {
    await replicas.dispose();
    await sink.close();
  });
}

/** The replica that delivers now, and the other one. */
async function roles(): Promise<{ delivering: TestGateway; standby: TestGateway }> {
  const query = 'SELECT holder FROM svc.lease WHERE name = $1 AND expires_at > clock_timestamp()';
  const holder = async () => (await sql<{ holder: string }>(replicas.url, query, [LEASE]))[0]?.holder;
  await expect.poll(holder, { timeout: 60_000 }).toBeDefined();
  const [one, two] = replicas.all;
  if (one === undefined || two === undefined) throw new Error('no replicas');
  const isOne = (await holder()) === (await replicas.instanceOf(one));
  return isOne ? { delivering: one, standby: two } : { delivering: two, standby: one };
}

/** What the passing of 30 seconds does. */
async function lapse(): Promise<void> {
  await sql(replicas.url, 'UPDATE svc.lease SET expires_at = clock_timestamp() WHERE name = $1', [LEASE]);
}

async function chats(gateway: TestGateway, count: number): Promise<void> {
  const all = await Promise.all(Array.from({ length: count }, () => gateway.chat('hello')));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
}

async function complete(gateway: TestGateway): Promise<void> {
  const served = await servedRecords(gateway);
  await expect.poll(() => sink.kept.length, { timeout: 120_000, interval: 100 }).toBe(served.length);
  expect(sink.kept).toEqual(served);
  assertInOrder(sink.asked);
}

// What is answered late is sent once more; here nothing is.
describe('two replicas whose sink is in time', () => {
  share(10_000);

  it('one replica delivers the records of both', { timeout: 120_000 }, async () => {
    for (const gateway of replicas.all) await chats(gateway, 40);
    const [one] = replicas.all;
    if (one === undefined) throw new Error('no replicas');
    await complete(one);
    expect(sink.atOnce).toBe(1);
    // Each of them once: only one of the two has asked. A checkpoint may have come meanwhile.
    expect(sink.asked.filter(({ type }) => type !== 'checkpoint')).toHaveLength(sink.kept.length);
  });

  it('a replica that shuts down normally hands over', { timeout: 120_000 }, async () => {
    const { delivering, standby } = await roles();
    await chats(delivering, 10);
    await delivering.stop();
    await chats(standby, 10);
    await complete(standby);
    expect(sink.atOnce).toBe(1);
  });
});

describe('two replicas whose sink is often late', () => {
  share(WEBHOOK.timeout_ms);

  it(`another replica continues where one was killed, whatever the sink does (SVC_FAULT_SEED=${SEED})`, {
    timeout: ROUNDS_TIMEOUT_MS,
  }, async () => {
    for (const round of rounds(2, 40)) {
      const { delivering, standby } = await roles();
      sink.manner = MANNERS[pick(`manner ${round}`, MANNERS.length)]?.() ?? takes;
      const asked = sink.asked.length + pick(`asked ${round}`, 4);
      await Promise.all([chats(delivering, 20), chats(standby, 20)]);
      await expect.poll(() => sink.asked.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(asked);
      await delivering.stop('SIGKILL');
      if (!LONG) await lapse();
      await chats(standby, 10);
      sink.manner = takes;
      await complete(standby);
      await delivering.launch();
    }
  });

  it('a replica that was frozen sends nothing that skips a record when it wakes', { timeout: 180_000 }, async () => {
    const { delivering, standby } = await roles();
    let count = 0;
    const frozen = Promise.withResolvers<void>();
    sink.manner = (response, asked) => {
      count += 1;
      if (count === 10) {
        process.kill(delivering.pid, 'SIGSTOP');
        frozen.resolve();
      }
      return takes(response, asked);
    };
    await chats(standby, 60);
    await frozen.promise;
    await lapse();
    try {
      await complete(standby);
    } finally {
      process.kill(delivering.pid, 'SIGCONT');
    }
    await chats(delivering, 20);
    await complete(standby);
  });
});
