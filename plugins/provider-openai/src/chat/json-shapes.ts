import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** The objects of a value that should be an array of objects. Other values are left to the check of the shape. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Many servers send null where OpenAI omits a field. */
export function dropNulls(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (object[field] === null) delete object[field];
}
