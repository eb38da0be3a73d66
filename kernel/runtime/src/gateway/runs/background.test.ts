import { setImmediate as nextIteration } from 'node:timers/promises';
import { BytesInFlight } from '@svc/kernel/admission';
import { expect, it } from 'vitest';
import { troubledScene } from './test-scene.ts';

const RUNS = 80;
const CHARACTERS = 10_000;

/** Runs that another process has stored but not begun. */
async function leftPending() {
  let gate: Promise<void> | undefined = new Promise(() => undefined);
  const scene = troubledScene({ guarded: () => gate });
  await Promise.all(Array.from({ length: RUNS }, () => scene.startInBackground('x'.repeat(CHARACTERS))));
  await scene.runs.close(0);
  gate = undefined;
  const pending = async () => (await scene.store.countRuns()).pending;
  expect(await pending()).toBeGreaterThan(RUNS / 2);
  return { ...scene, pending };
}

it.each([
  ['five of them', 5 * CHARACTERS + 5_000],
  ['less than one of them', CHARACTERS / 2],
])('runs of a dead process are resumed as room allows: %s', async (_name, max) => {
  const { restarted, onCall, store, pending } = await leftPending();
  const left = await pending();
  const in_flight = new BytesInFlight(max);
  let highest = 0;
  onCall(() => {
    highest = Math.max(highest, in_flight.bytes);
  });
  const { requeued } = await restarted(in_flight).recover(async () => true);
  expect(requeued).toBe(left);
  while ((await pending()) > 0 || in_flight.bytes > 0) await nextIteration();
  expect((await store.countRuns()).completed).toBe(left);
  expect(highest).toBeGreaterThan(0);
  // One run is always worked on.
  expect(highest).toBeLessThanOrEqual(Math.max(max, CHARACTERS + 1_000));
});
