import type { AddedContext } from './guard.ts';
import { isObject } from './json.ts';

const SOURCE_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether a guard may add this to a request. A third-party guard may return anything. */
export function isAddedContext(value: unknown): value is AddedContext {
  if (!isObject(value) || typeof value.text !== 'string' || value.text === '' || !value.text.isWellFormed()) return false;
  if (!Array.isArray(value.sources)) return false;
  return [...value.sources].every(
    (source) =>
      isObject(source) &&
      typeof source.id === 'string' &&
      SOURCE_ID.test(source.id) &&
      typeof source.score === 'number' &&
      Math.abs(source.score) <= 1,
  );
}
