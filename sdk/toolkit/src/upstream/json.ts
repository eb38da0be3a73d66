import { exactDigits, isObject, JSON_LIMITS, type JsonObject, type JsonValue, parseBody } from '@svc/contracts';
import { malformed } from '@svc/protocols';
import { noAnswer } from './failures.ts';

/**
 * The same value, with well-formed Unicode in every string and key, as the gateway requires of providers.
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
 * Parses an upstream's JSON whose size and levels were counted as it arrived, as {@link UpstreamClient.whole} does. Makes every string and key
 * well-formed. Numbers are doubles: for data that a caller receives, use {@link parseAnswer}.
 * @throws {ProviderError} `malformed` for invalid JSON
 */
export function parseJson(text: string): JsonValue {
  return wholeBy(JSON.parse, text);
}

/** As {@link parseJson}, for an answer that a caller receives: numbers keep all their digits, see `parseBody`. */
export function parseAnswer(text: string): JsonValue {
  return wholeBy(parseBody, text);
}

function wholeBy(parse: (text: string) => unknown, text: string): JsonValue {
  if (!/^\s*[{[]/.test(text)) throw noAnswer('not JSON');
  const value = parsedBy(parse, text);
  return SURROGATE_ESCAPE.test(text) || !text.isWellFormed() ? wellFormed(value) : value;
}

/** In well-formed JSON text, a lone surrogate can only be an escape, which is rare. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Parses the JSON of an event that was counted as it arrived. Numbers keep all their digits, as in {@link parseAnswer}. Strings are not
 * changed, because half a surrogate pair may end one string and begin another: join them with {@link TextPieces}, then make the whole
 * {@link wellFormed}.
 * @throws {ProviderError} `malformed` for invalid JSON
 */
export function parseJsonPiece(text: string): JsonValue {
  return parsedBy(parseBody, text);
}

/** As {@link parseJsonPiece}, for an event that must be an object. @throws {ProviderError} `malformed` */
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

/** A non-negative integer, as token counts must be. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
