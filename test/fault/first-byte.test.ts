import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestGateway } from '../harness/gateway.ts';
import { everyCallHasItsRun, FirstByte, killAtFirstByte } from './first-byte.ts';
import { rounds, SEED } from './form.ts';

let upstream: FirstByte;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await FirstByte.start();
});
afterEach(async () => {
  await gateway.dispose();
  upstream.close();
});

it(`kill -9 at the first byte sent to a model leaves a record of its run (SVC_FAULT_SEED=${SEED})`, {
  timeout: 600_000,
}, async () => {
  gateway = await TestGateway.start({ config: upstream.config() });
  for (const round of rounds(5, 300)) {
    await killAtFirstByte(gateway, upstream, round);
    await gateway.launch();
    await everyCallHasItsRun(gateway, upstream);
  }
});

it('with runs.record_start off only streams leave a record of their run', async () => {
  gateway = await TestGateway.start({ config: upstream.config({ runs: { record_start: false } }) });
  const called = async (ask: () => Promise<unknown>): Promise<void> => {
    const first = new Promise<void>((resolve) => {
      upstream.onRequest = resolve;
    });
    ask().catch(() => undefined);
    await first;
  };
  await called(() => gateway.chat('hello', { model: 'plain' }));
  await called(() => gateway.chat('hello', { model: 'plain', stream: true }));
  await gateway.stop('SIGKILL');
  gateway.here = true;
  await gateway.launch();
  expect((await gateway.get('/v1/audit')).body.runs).toMatchObject([{ status: 'error' }]);
});

it('a non-streamed run is listed while it runs, and ends as interrupted when the server is stopped', async () => {
  gateway = await TestGateway.start({ config: upstream.config(), here: true });
  const first = new Promise<void>((resolve) => {
    upstream.onRequest = resolve;
  });
  const asked = gateway.chat('hello');
  await first;
  const { runs } = (await gateway.get('/v1/audit?status=running')).body;
  expect(runs).toMatchObject([{ status: 'running', principal_id: 'alice', route: 'default' }]);
  const [{ run_id }] = runs;
  expect((await gateway.get(`/v1/runs/${run_id}`)).body).toMatchObject({ run_id, status: 'running' });
  expect((await gateway.get('/v1/audit?principal=alice&route=default')).body.runs).toMatchObject([{ run_id }]);
  expect((await gateway.get('/v1/audit/report')).body.run_stats).toMatchObject({ running: 1 });
  const ended = gateway.stop();
  expect((await asked).status).toBe(503);
  expect(await ended).toBe(0);
  await gateway.launch();
  const { status, events } = (await gateway.get(`/v1/runs/${run_id}`)).body;
  expect(status).toBe('error');
  expect(events.map(({ event_type }: { event_type: string }) => event_type)).toContain('interrupted');
});
