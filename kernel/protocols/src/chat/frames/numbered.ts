import { isObject, type JsonObject } from '@svc/contracts';
import { isIndex, MAX_INDEX } from './chunk.ts';

/** Whether an item of a list has a number: clients join pieces of such items by it. */
export function isNumbered(item: unknown): item is JsonObject & { index: number } {
  return isObject(item) && isIndex(item.index, MAX_INDEX);
}
