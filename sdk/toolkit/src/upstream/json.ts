import { exactDigits, isObject, JSON_LIMITS, type JsonObject, type JsonValue, parseBody } from '@svc/contracts';
import { malformed } from '@svc/protocols';
import { noAnswer } from './failures.ts';

/**
 * The same value with every string and key as well-formed Unicode, as the gateway asks of what a provider returns.
 * @throws {ProviderError} `malformed` for more than 64 levels
 */
export function wellFormed(value: JsonValue): JsonValue {
  return isWellFormed(value, 0) ? value : repaired(value, 0);
}

function isWellFormed(value: JsonValue, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null || exactDigits(value) !== null) return true;
  if (depth === JSON_LIMITS.depth) throw malformed('nested too deeply');
  if (Array.isArray(value)) return value.every((member) => isWellFormed(member, depth + 1));
  for (const key of Object.keys(value)) if (!key.isWellFormed() || !isWellFormed(value[key] ?? null, depth + 1)) return false;
  return true;
}

function repaired(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || exactDigits(value) !== null) return value;
  if (depth === JSON_LIMITS.depth) throw malformed('nested too deeply');
  if (Array.isArray(value)) return value.map((member) => repaired(member, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), repaired(member, depth + 1)]));
}

/**
 * Parses an upstream's JSON whose size and levels were counted as it came, as those of {@link UpstreamClient.whole} are; every string and key
 * in it comes back as well-formed Unicode. Numbers are doubles: what goes on to a caller is parsed by {@link parseAnswer}.
 * @throws {ProviderError} `malformed` for what is not JSON
 */
export function parseJson(text: string): JsonValue {
  return wholeBy(JSON.parse, text);
}

/** The same for an answer that is passed on to a caller: numbers keep all their digits, see `parseBody`. */
export function parseAnswer(text: string): JsonValue {
  return wholeBy(parseBody, text);
}

function wholeBy(parse: (text: string) => unknown, text: string): JsonValue {
  if (!/^\s*[{[]/.test(text)) throw noAnswer('not JSON');
  const value = parsedBy(parse, text);
  return SURROGATE_ESCAPE.test(text) || !text.isWellFormed() ? wellFormed(value) : value;
}

/** A surrogate in JSON text that is not itself ill-formed can only be an escape, which hardly any answer holds. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Parses the JSON of an event, which was counted as it came, with the digits of its numbers as {@link parseAnswer} does, and leaves its strings as
 * they are: half a character may end one string and begin another. Join those with {@link TextPieces}, then make all of it {@link wellFormed}.
 * @throws {ProviderError} `malformed` for what is not JSON
 */
export function parseJsonPiece(text: string): JsonValue {
  return parsedBy(parseBody, text);
}

/** The same for an event that must be an object. @throws {ProviderError} `malformed` */
export function parseFrame(text: string): JsonObject {
  const frame = parseJsonPiece(text);
  if (!isObject(frame)) throw malformed('an event that is not an object');
  return frame;
}

function parsedBy(parse: (text: string) => unknown, text: string): JsonValue {
  try {
    return parse(text) as JsonValue;
  } catch {
    throw malformed('not JSON');
  }
}

/** A whole number of something, from 0: what a token count must be to be relied on. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
