import { cloneJson, exactDigits, isObject, type JsonCounter } from '@svc/contracts';
import { define } from '../../common/define.ts';
import { malformed } from '../../upstream-error/index.ts';
import { isNumbered } from './numbered.ts';

export type Joined = Record<string, unknown>;

/** Strings to which every piece is appended, even one that equals the text so far. */
const GROWING: ReadonlySet<string> = new Set(['arguments', 'input', 'data', 'transcript']);

/** Strings that identify a call. No client concatenates their pieces. */
const IDENTIFYING: ReadonlySet<string> = new Set(['id', 'type']);

/** What to do with a string that equals the text so far: append it, or keep the text and report the repetition, because some clients append it. */
export type OnRepeat = 'append' | ((text: string) => void);

/**
 * Adds a piece to an object that arrives in pieces, in the way that clients do. Strings and lists are extended. Members of objects are merged, and so
 * are list items with the same number or position. Conflicting values of other types are collected in a list. Some upstreams repeat the name or id of
 * a call with each piece.
 * @param before the object so far; null for the first piece
 * @param counter limits the JSON that is kept
 * @throws {ProviderError} `malformed` if the answer has more JSON than allowed
 */
export function joined(before: Joined | null, piece: unknown, counter: JsonCounter, onRepeat: OnRepeat): Joined | null {
  if (!isObject(piece)) return before;
  const whole = before ?? {};
  for (const [key, value] of Object.entries(piece)) {
    const isKnown = Object.hasOwn(whole, key);
    if (value === undefined || (value === null && isKnown)) continue;
    const old = isKnown ? whole[key] : null;
    if (old == null) {
      count(value, counter);
      define(whole, key, cloneJson(value));
    } else {
      const appends = GROWING.has(key) || (onRepeat === 'append' && !IDENTIFYING.has(key));
      if (old === value && typeof old === 'string' && !appends && onRepeat !== 'append' && !IDENTIFYING.has(key)) onRepeat(old);
      define(whole, key, next(old, value, appends, counter, onRepeat));
    }
  }
  return whole;
}

function next(old: unknown, value: unknown, appends: boolean, counter: JsonCounter, onRepeat: OnRepeat): unknown {
  if (typeof old === 'string' && typeof value === 'string') return appends || old !== value ? old + value : old;
  if (Array.isArray(old) && Array.isArray(value)) return withItems(old, value, counter, onRepeat);
  const digits = exactDigits(old);
  if (digits === null && isObject(old) && isObject(value)) return joined(old, value, counter, onRepeat);
  if (digits === null ? old === value : digits === exactDigits(value)) return old;
  // A later value never hides an earlier one.
  return [...(Array.isArray(old) ? old : [old]), value];
}

function withItems(old: unknown[], items: readonly unknown[], counter: JsonCounter, onRepeat: OnRepeat): unknown[] {
  for (const [at, item] of items.entries()) {
    const known = isNumbered(item) ? old.find((other) => isNumbered(other) && other.index === item.index) : old[at];
    if (isObject(known) && isObject(item)) joined(known, item, counter, onRepeat);
    else {
      count(item, counter);
      old.push(cloneJson(item));
    }
  }
  return old;
}

/** @throws {ProviderError} `malformed` */
export function count(kept: unknown, counter: JsonCounter): void {
  if (counter.value(kept) !== null) throw malformed('an answer with too much JSON');
}
