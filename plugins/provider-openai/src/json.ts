import type { JsonObject, JsonValue } from '@svc/sdk/plugin';
import { malformed } from './failures.ts';

/** Deeper answers are refused: what reads them afterwards recurses. */
const MAX_DEPTH = 64;

/** A surrogate in JSON text that is not itself ill-formed can only be an escape, which hardly any answer holds. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

function assertShallow(value: JsonValue, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === MAX_DEPTH) throw malformed('nested too deeply');
  for (const member of Object.values(value)) assertShallow(member, depth + 1);
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]));
}

/**
 * Parses an upstream's JSON; every string and key in it comes back as well-formed Unicode.
 * @throws {ProviderError} `malformed`
 */
export function parseJson(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('not JSON');
  }
  assertShallow(value, 0);
  return !SURROGATE_ESCAPE.test(text) && text.isWellFormed() ? value : wellFormed(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a value that should be an array of them; what else there is, is left to the shape's check. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Many servers write null where OpenAI leaves a field out. */
export function dropNulls(object: JsonObject, fields: readonly string[]): void {
  for (const field of fields) if (object[field] === null) delete object[field];
}
