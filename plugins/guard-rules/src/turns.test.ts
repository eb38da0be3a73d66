import { fakeClock } from '@svc/sdk/testing';
import { describe, expect, test } from 'vitest';
import { turns } from './turns.ts';

describe('turns', () => {
  test('are over after a slice of time, and begin anew', async () => {
    const clock = fakeClock();
    const mine = turns(clock, new AbortController().signal);
    expect(mine.over()).toBe(false);
    clock.advance(20);
    expect(mine.over()).toBe(true);
    await mine.next();
    expect(mine.over()).toBe(false);
  });

  test('end when the check was given up', async () => {
    await expect(turns(fakeClock(), AbortSignal.abort()).next()).rejects.toThrow();
  });
});
