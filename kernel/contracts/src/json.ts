import { isExact } from './exact-json.ts';

/** A JSON value as JSON.parse gives it. A number that a double cannot hold may be a JSON.rawJSON, see `parseBody`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether a JSON value has keys: it is neither null nor an array, nor a number that keeps its digits. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value);
}
