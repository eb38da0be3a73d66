import { expect, it } from 'vitest';
import { laterObserver, noopObserver } from './observer.ts';

it('receives events in order, in the next turn of the event loop at the earliest; an observer that throws does not affect the others', async () => {
  const told: unknown[] = [];
  const observer = laterObserver({
    ...noopObserver,
    exported: (...args) => void told.push(args),
    commit: () => {
      told.push('commit');
      throw new Error('odd');
    },
  });
  observer.exported('sink', 1);
  observer.commit(1, 1);
  observer.exported('sink', 2);
  await Promise.resolve();
  expect(told).toEqual([]);
  await new Promise(setImmediate);
  expect(told).toEqual([['sink', 1], 'commit', ['sink', 2]]);
  observer.commit(1, 1);
  await new Promise(setImmediate);
  expect(told).toHaveLength(4);
});
