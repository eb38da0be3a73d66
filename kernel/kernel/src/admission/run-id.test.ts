import { expect, it } from 'vitest';
import { newRunId } from './run-id.ts';

it('is a UUID of version 7 that begins with its time', () => {
  const id = newRunId(0x0123456789ab);
  expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('sorts by time, and two ids of the same time differ', () => {
  const times = [0, 1, 255, 1_700_000_000_000, 1_700_000_000_001];
  const ids = times.map(newRunId);
  expect(ids.toSorted()).toEqual(ids);
  expect(newRunId(1)).not.toBe(newRunId(1));
});
