import { vi } from 'vitest';

/**
 * Polls until the condition holds. Pauses between polls, because a busy loop would slow down the process it waits for. The test's own timeout ends
 * it.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { interval: 20, timeout: 3_600_000 });
}
