import { isObject, type JsonObject, type JsonValue } from '@svc/sdk';
import { exactDigits } from '@svc/sdk/json';
import { NAMES } from './bodies/names.ts';

/** Below these fields, callers and models choose the keys. */
const FREE: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

/** Converts keys to camel case, as the vendor's clients write them. The API also accepts snake case (`system_instruction`). */
export function inCamelCase(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).map(([key, value]) => memberOf(key, value)));
}

function memberOf(key: string, value: JsonValue): [string, JsonValue] {
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const name = camel !== key && NAMES.has(camel) ? camel : key;
  return [name, FREE.has(name) ? value : renamed(value)];
}

function renamed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(renamed);
  // Numbers that kept their digits are objects too.
  return isObject(value) && exactDigits(value) === null ? inCamelCase(value) : value;
}
