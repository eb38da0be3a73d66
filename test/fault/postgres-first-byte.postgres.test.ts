import { expect, inject, it, onTestFinished } from 'vitest';
import { Replicas } from '../harness/replicas.ts';
import { everyCallHasItsRun, FirstByte, killAtFirstByte } from './first-byte.ts';
import { ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';

it(`kill -9 of a replica at the first byte sent to a model leaves a record of its run (SVC_FAULT_SEED=${SEED})`, {
  timeout: ROUNDS_TIMEOUT_MS,
}, async () => {
  const upstream = await FirstByte.start();
  onTestFinished(() => upstream.close());
  const replicas = await Replicas.start(inject('postgres'), upstream.config(), 1);
  onTestFinished(() => replicas.dispose());
  const [gateway] = replicas.all;
  if (gateway === undefined) throw new Error('no replica');
  for (const round of rounds(4, 100)) {
    await killAtFirstByte(gateway, upstream, round);
    await gateway.launch();
    await everyCallHasItsRun(gateway, upstream);
  }
  expect(upstream.seen).toBeGreaterThan(0);
});
