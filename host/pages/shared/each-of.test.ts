import { expect, it } from 'vitest';
import { eachOf } from './each-of.ts';

it.each([1, 3, 20])('works on every item once, in order, and on at most %i at a time', async (at_once) => {
  const items = Array.from({ length: 10 }, (_, n) => n);
  const begun: number[] = [];
  let [now, most] = [0, 0];
  await eachOf(items, at_once, async (item) => {
    begun.push(item);
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  });
  expect(begun).toEqual(items);
  expect(most).toBe(Math.min(at_once, items.length));
});
