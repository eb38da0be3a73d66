import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ServedRunInList } from '../served/runs-of-server.ts';
import { WatchedRuns } from './runs-watch.ts';

const HOUR_MS = 3_600_000;

let server: Server;
let url: string;
let runs: ServedRunInList[];
/** The server's clock. */
let now: number;

/** Lists runs by status and `since`, as `GET /v1/audit` does. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    const [status, since] = [searchParams.get('status'), searchParams.get('since') ?? ''];
    const listed = runs.filter((run) => (status === null || run.status === status) && run.created_at >= since);
    const body = pathname === '/v1/audit' ? { runs: listed } : runs.find(({ run_id }) => pathname === `/v1/runs/${run_id}`);
    response.setHeader('date', new Date(now).toUTCString()).end(JSON.stringify(body ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  runs = [];
  now = Date.now();
});

function add(run_id: string, status: string, age_ms = 0): void {
  const created_at = new Date(now - age_ms).toISOString();
  const fields = { route: 'default', principal_id: 'alice', approvers: [], events: [], config_digest: 'sha256:0' };
  runs = [...runs.filter((run) => run.run_id !== run_id), { run_id, status, created_at, ...fields }];
}

const seen = async (watched: WatchedRuns) => (await watched.poll()).map(({ run_id, status }) => [run_id, status]);

it('reports new and paused runs, and how they end', async () => {
  const watched = new WatchedRuns(url, undefined);
  add('old', 'completed', HOUR_MS);
  add('waiting', 'paused', HOUR_MS);
  expect(await seen(watched)).toEqual([['waiting', 'paused']]);
  add('new', 'running');
  add('waiting', 'denied', HOUR_MS);
  expect(await seen(watched)).toEqual([
    ['waiting', 'denied'],
    ['new', 'running'],
  ]);
  expect(await seen(watched)).toEqual([]);
});

it('reports a run with a wanted status, however long ago it began', async () => {
  const watched = new WatchedRuns(url, 'completed');
  add('long', 'paused', HOUR_MS);
  expect(await seen(watched)).toEqual([]);
  add('long', 'completed', HOUR_MS);
  add('other', 'blocked');
  expect(await seen(watched)).toEqual([['long', 'completed']]);
});

it("uses the server's clock", async () => {
  now -= HOUR_MS;
  add('new', 'completed');
  expect(await seen(new WatchedRuns(url, undefined))).toEqual([['new', 'completed']]);
});
