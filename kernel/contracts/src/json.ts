import { isExact } from './exact-json.ts';

/** A JSON value as returned by JSON.parse. A number that a double cannot represent may be a JSON.rawJSON; see `parseBody`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether a JSON value is an object: not null, an array, or a number that kept its digits. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value);
}
