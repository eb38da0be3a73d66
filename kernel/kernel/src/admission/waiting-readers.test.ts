import { expect, it } from 'vitest';
import { BytesInFlight } from './bytes-in-flight.ts';

function scene() {
  const clock = { now: 0 };
  const all = new BytesInFlight(100, () => clock.now);
  const given_up: string[] = [];
  /** An answer of this size. Its reader takes nothing until `take` is called. */
  const waiting = (name: string, bytes: number) => {
    const { promise, resolve: take } = Promise.withResolvers<void>();
    const bytesOf = all.reserve();
    bytesOf.add(bytes);
    const waited = bytesOf.whileUnread(promise, () => void given_up.push(name));
    return { bytes: bytesOf, take, waited };
  };
  return { clock, all, given_up, waiting };
}

it('readers that take nothing for a second are dropped once others need their room, the largest first', () => {
  const { clock, all, given_up, waiting } = scene();
  waiting('small', 10);
  waiting('large', 60);
  waiting('larger', 80);
  const other = all.reserve();
  clock.now = 1_000;
  expect(other.grow('request', 30)).toBe(false);
  clock.now = 1_001;
  expect(all.hasRoom(30)).toBe(true);
  expect(given_up).toEqual([]);
  expect(other.grow('request', 30)).toBe(true);
  expect(given_up).toEqual(['larger']);
  expect(all.refused.answer).toBe(1);
  expect(all.bytes).toBe(100);
});

it('no reader is dropped if that would not free enough room', () => {
  const { clock, all, given_up, waiting } = scene();
  waiting('stalled', 10);
  const working = all.reserve();
  working.add(95);
  clock.now = 5_000;
  expect(all.reserve().grow('request', 50)).toBe(false);
  expect(given_up).toEqual([]);
});

it('a reader that has taken its piece has not stalled', async () => {
  const { clock, all, given_up, waiting } = scene();
  const { take, waited } = waiting('slow', 100);
  take();
  await waited;
  clock.now = 5_000;
  expect(all.reserve().grow('request', 10)).toBe(false);
  expect(given_up).toEqual([]);
});

it('the bytes of a dropped reader are not counted again', () => {
  const { clock, all, waiting } = scene();
  const { bytes } = waiting('stalled', 100);
  clock.now = 5_000;
  expect(all.reserve().grow('request', 100)).toBe(true);
  bytes.add(50);
  bytes.release();
  expect(all.bytes).toBe(100);
});
