import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { RunChanges } from '../harness/run-changes.ts';

let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  replicas = await Replicas.start(inject('postgres'), echoConfig({ server: { workers: 2 } }), 1);
  [one] = replicas.all as [TestGateway];
  other = await replicas.addTwin(one);
});
afterAll(() => replicas?.dispose());

it('every worker of every gateway that shares a store reports changes by any other', async () => {
  // More streams than workers, so that each worker has some.
  const streams = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      RunChanges.connect((n % 2 === 0 ? one : other).url, { authorization: `Bearer ${one.key('bob')}`, connection: 'close' }),
    ),
  );
  const { body } = await one.chat('wire transfer');
  const run_id: string = body.svc_run_id;
  const changes = () => Promise.all(streams.map(async (stream) => (await stream.of(run_id)).change));
  expect(new Set(await changes())).toEqual(new Set(['waiting']));
  await other.post(`/v1/runs/${run_id}/resume`, { decision: 'denied' }, 'carol');
  expect(new Set(await changes())).toEqual(new Set(['decided']));
  // A stop ends the streams, and does not wait for them.
  await Promise.all([one.stop(), other.stop()]);
  expect(await Promise.all(streams.map((stream) => stream.change()))).toEqual(Array(8).fill(null));
});
