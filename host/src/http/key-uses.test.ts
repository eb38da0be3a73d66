import { expect, it, vi } from 'vitest';
import { KeyUses } from './key-uses.ts';
import { handClock, sharedMeta } from './test-keys.ts';

const START = Date.UTC(2026, 0, 1, 12, 0, 30);

it('reports the minute of the last use in any process, written once a minute', async () => {
  const meta = sharedMeta();
  const writes = vi.spyOn(meta, 'writeMeta');
  const clock = handClock(START);
  const [one, other] = [new KeyUses(Promise.resolve(meta), clock), new KeyUses(Promise.resolve(meta), clock)];
  expect(await one.lastUse('a')).toBeNull();
  one.note('a');
  one.note('a');
  await vi.waitFor(async () => expect(await other.lastUse('a')).toBe('2026-01-01T12:00:00.000Z'));
  clock.advance(60_000);
  other.note('a');
  await vi.waitFor(async () => expect(await one.lastUse('a')).toBe('2026-01-01T12:01:00.000Z'));
  expect(writes).toHaveBeenCalledTimes(2);
});

it('a process whose clock is behind does not move the last use back, and an unavailable store does no harm', async () => {
  const meta = sharedMeta();
  const clock = handClock(START);
  new KeyUses(Promise.resolve(meta), clock).note('a');
  await vi.waitFor(() => expect(meta.values.size).toBe(1));
  const behind = new KeyUses(Promise.resolve(meta), handClock(START - 3_600_000));
  behind.note('a');
  expect(await behind.lastUse('a')).toBe('2026-01-01T12:00:00.000Z');
  const broken = new KeyUses(Promise.reject(new Error('away')), clock);
  broken.note('a');
  await expect(broken.lastUse('a')).rejects.toThrow('away');
});
