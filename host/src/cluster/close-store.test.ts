import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { STORE_CLOSING_MS, STORE_WATCHDOG_MS } from '../ending/limits.ts';
import { closeStore } from './close-store.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watchdog = () => ({ arm: vi.fn() });
const logger = () => ({ info: vi.fn(), error: vi.fn() });

it('closes a store', async () => {
  const close = vi.fn(async () => undefined);
  const log = logger();
  expect(await closeStore({ close }, log, watchdog())).toEqual([]);
  expect(log.error).not.toHaveBeenCalled();
  expect(close).toHaveBeenCalledOnce();
});

it('logs a store that does not close, within the limit of the watchdog', async () => {
  const [dog, log] = [watchdog(), logger()];
  const closing = closeStore({ close: () => new Promise(() => undefined) }, log, dog);
  expect(dog.arm).toHaveBeenCalledExactlyOnceWith(STORE_WATCHDOG_MS);
  expect(STORE_WATCHDOG_MS).toBeGreaterThan(STORE_CLOSING_MS);
  await vi.advanceTimersByTimeAsync(STORE_WATCHDOG_MS);
  expect(await closing).toEqual(['runs-db']);
  expect(log.error).toHaveBeenCalledExactlyOnceWith({ event: 'stopped', left: ['runs-db'] });
});
