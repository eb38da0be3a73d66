import type { Operation } from '@svc/contracts';

/** Thrown by the `make` of an operation if there is nothing to write. */
export class Unchanged extends Error {}

/** The record; null if there was nothing to write. */
export async function unlessUnchanged(appended: Promise<Operation>): Promise<Operation | null> {
  try {
    return await appended;
  } catch (error) {
    if (error instanceof Unchanged) return null;
    throw error;
  }
}
