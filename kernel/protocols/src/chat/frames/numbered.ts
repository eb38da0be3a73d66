import { isObject, type JsonObject } from '@svc/contracts';
import { isIndex, MAX_INDEX } from './chunk.ts';

/** Whether a list item has a number. Clients join the pieces of an item by it. */
export function isNumbered(item: unknown): item is JsonObject & { index: number } {
  return isObject(item) && isIndex(item.index, MAX_INDEX);
}
