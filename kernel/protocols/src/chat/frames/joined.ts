import { cloneJson, exactDigits, isObject, type JsonCounter } from '@svc/contracts';
import { define } from '../../common/define.ts';
import { malformed } from '../../upstream-error/index.ts';

export type Joined = Record<string, unknown>;

/** Strings that grow although a piece equals what came before. */
const GROWING: ReadonlySet<string> = new Set(['arguments', 'input', 'data', 'transcript']);

/** Strings that tell calls apart, which no client joins. */
const TOLD: ReadonlySet<string> = new Set(['id', 'type']);

/**
 * Adds a piece to an object that comes in pieces, as clients join it: strings and lists go on, and members of objects are joined. Some upstreams say a
 * name or an id with each piece: that stays as it is.
 * @param before null: it is the first one
 * @param counter counts what is kept
 * @param again takes what is said again: other clients put it behind what came before
 * @throws {ProviderError} `malformed` for more JSON than an answer may hold, or a value that becomes another one
 */
export function joined(
  before: Joined | null,
  piece: unknown,
  counter: JsonCounter,
  again?: (text: string) => void,
): Joined | null {
  if (!isObject(piece)) return before;
  const whole = before ?? {};
  for (const [key, value] of Object.entries(piece)) {
    const old = Object.hasOwn(whole, key) ? whole[key] : null;
    if (old == null) {
      count(value, counter);
      define(whole, key, cloneJson(value));
    } else if (value !== null) {
      if (old === value && typeof old === 'string' && !GROWING.has(key) && !TOLD.has(key)) again?.(old);
      define(whole, key, next(old, value, GROWING.has(key), counter, again));
    }
  }
  return whole;
}

function next(old: unknown, value: unknown, isGrowing: boolean, counter: JsonCounter, again?: (text: string) => void): unknown {
  if (typeof old === 'string' && typeof value === 'string') return isGrowing || old !== value ? old + value : old;
  if (Array.isArray(old) && Array.isArray(value)) {
    count(value, counter);
    return [...old, ...value];
  }
  const digits = exactDigits(old);
  if (digits === null && isObject(old) && isObject(value)) return joined(old, value, counter, again);
  if (digits === null ? old === value : digits === exactDigits(value)) return old;
  throw malformed('a value that became another one');
}

/** @throws {ProviderError} `malformed` */
export function count(kept: unknown, counter: JsonCounter): void {
  if (counter.value(kept) !== null) throw malformed('more JSON than an answer may hold');
}
