import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

/** The objects in a value that should be an array of them; what else there is, is left to the shape's check. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Many servers write null where OpenAI leaves a field out. */
export function dropNulls(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (object[field] === null) delete object[field];
}
