import { isObject, type JsonObject, type JsonValue } from '@svc/sdk';
import { exactDigits } from '@svc/sdk/json';
import { NAMES } from './bodies/names.ts';

/** Below these every key is a caller's or a model's. */
const FREE: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

/** The API takes names in snake case, too (`system_instruction`): here they are what the vendor's clients write. */
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
  // A number that keeps its digits is an object of its own kind.
  return isObject(value) && exactDigits(value) === null ? inCamelCase(value) : value;
}
