import { vi } from 'vitest';

/**
 * Looks until it is so, with some time between two looks: a loop without any would take the processor from whoever is waited for. The
 * test's own time limit ends it.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(isSo, { interval: 20, timeout: 3_600_000 });
}
