import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectionTo } from '../../plugins/store-postgres/src/test-database.ts';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import type { Answer } from '../harness/gateway.ts';
import { PostgresServer } from '../harness/postgres-server.ts';
import { Replicas } from '../harness/replicas.ts';
import { LONG, rounds } from './form.ts';
import { ReplicaLoad, replicaConfig, slowly } from './replica-load.ts';
import { available, expectUnavailable } from './unavailable.ts';

/** Fewer than two replicas would take: twelve each. */
const MAX_CONNECTIONS = 20;
const AT_ONCE = LONG ? 100 : 20;

let server: PostgresServer;
let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  server = await PostgresServer.start({ max_connections: MAX_CONNECTIONS });
  upstream = await startUpstream(slowly);
  replicas = await Replicas.start(server.url, replicaConfig(upstream.url), 2);
});
afterAll(async () => {
  await replicas.dispose();
  await server.stop();
  await upstream.close();
});

it('chats are answered while every connection for reading is busy with large pages', { timeout: 600_000 }, async () => {
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  await load.answered(LONG ? 1000 : 100, ...replicas.all);
  await load.stop();
  const chats = new ReplicaLoad(['chat', 'stream']);
  for (const gateway of replicas.all) chats.drive(gateway);
  for (const _ of rounds(1, 20)) {
    const read = (path: string) => replicas.all.map((gateway) => gateway.get(path));
    const pages = Array.from({ length: AT_ONCE }, (_, n) =>
      read(n % 2 === 0 ? '/v1/audit?limit=10000' : '/v1/audit/ledger?limit=10000'),
    );
    await chats.answered(20, ...replicas.all);
    const answers = await Promise.all(pages.flat());
    expect(new Set(answers.map(outcome))).toEqual(new Set(['200']));
  }
  await chats.stop();
  expect(chats.refused).toBe(0);
  for (const gateway of replicas.all) await load.settle(gateway);
});

function outcome({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${body?.code}`;
}

it('a server without a free connection is unavailable, and available again once it has one', { timeout: 120_000 }, async () => {
  const paused = (await replicas.all[0]?.chat('a wire transfer'))?.body.svc_run_id;
  const hogs: Awaited<ReturnType<typeof connectionTo>>[] = [];
  const hog = async (): Promise<boolean> => {
    const client = await connectionTo(server.url).catch(() => null);
    if (client !== null) hogs.push(client);
    return client !== null;
  };
  while (await hog());
  // A replica may be the first to take a place that is free again.
  while (hogs.length < MAX_CONNECTIONS) {
    await hogs[0]?.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
      new URL(replicas.url).pathname.slice(1),
    ]);
    await hog();
  }
  await Promise.all(replicas.all.map((gateway) => expectUnavailable(gateway, paused)));
  await Promise.all(hogs.map((client) => client.end()));
  await Promise.all(replicas.all.map(available));
  const load = new ReplicaLoad();
  for (const gateway of replicas.all) load.drive(gateway);
  await load.answered(10, ...replicas.all);
  await load.stop();
  for (const gateway of replicas.all) await load.settle(gateway);
});
