import { isExact } from './exact-json.ts';

/** A JSON value as `JSON.parse` returns it. A number that a double cannot represent may be a `JSON.rawJSON`; see `parseBody`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether a JSON value is an object. Null, arrays and numbers that kept their digits are not. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value);
}
