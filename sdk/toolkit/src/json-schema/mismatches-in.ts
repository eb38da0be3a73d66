import { type HeavyWork, isObject } from '@svc/sdk';
import { MISMATCHES, type Mismatch, type ValidateTask } from './validate.ts';

/**
 * Validates texts in a thread, because their length does not predict the cost.
 * @param module URL of a module whose default export is `validate`
 * @returns a mismatch or null for each text
 * @throws if a text is too much work
 */
export async function mismatchesIn(module: string, task: ValidateTask, { runInWorker }: HeavyWork): Promise<(Mismatch | null)[]> {
  if (task.texts.length === 0) return [];
  const found = await runInWorker(module, task);
  if (!Array.isArray(found) || found.length !== task.texts.length || !found.every(isMismatchOrNull)) {
    throw new Error('the worker thread did not return mismatches');
  }
  return found;
}

function isMismatchOrNull(value: unknown): value is Mismatch | null {
  return value === null || (isObject(value) && MISMATCHES.some((code) => code === value.code) && typeof value.at === 'string');
}
