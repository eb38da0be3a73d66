import { LedgerWriter } from '@svc/kernel';
import { expect, it } from 'vitest';
import { ENV, handClock } from '../test-parts.ts';
import { StoreProbe } from './store-probe.ts';
import { SharedStore } from './test-store.ts';

function scene() {
  const clock = handClock();
  const shared = new SharedStore();
  const heads: PromiseWithResolvers<null>[] = [];
  const head = () => {
    const asked = Promise.withResolvers<null>();
    heads.push(asked);
    return asked.promise;
  };
  const store = Object.assign(shared, { head });
  const writer = new LedgerWriter(store, { ...ENV, clock, afterOutage: () => undefined });
  return { clock, heads, look: new StoreProbe({ clock, store, writer }) };
}

/** Resolves when all pending work has reached its next wait. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

it('asks the store once for concurrent callers', async () => {
  const { heads, look } = scene();
  const answers = [look.isWritable(), look.isWritable(), look.isWritable()];
  await turns();
  expect(heads).toHaveLength(1);
  heads[0]?.resolve(null);
  expect(await Promise.all(answers)).toEqual([true, true, true]);
  void look.isWritable();
  await turns();
  expect(heads).toHaveLength(2);
});

it('reports a failure, and tries again', async () => {
  const { heads, look } = scene();
  const failed = look.isWritable();
  await turns();
  heads[0]?.reject(new Error('away'));
  expect(await failed).toBe(false);
  const next = look.isWritable();
  await turns();
  heads[1]?.resolve(null);
  expect(await next).toBe(true);
});

it('gives up a probe that hangs', async () => {
  const { clock, heads, look } = scene();
  void look.isWritable();
  await turns();
  clock.advance(10_000);
  const next = look.isWritable();
  await turns();
  heads[1]?.resolve(null);
  expect(await next).toBe(true);
});
