import { cloneJson, exactDigits, isObject, type JsonCounter } from '@svc/contracts';
import { define } from '../../common/define.ts';
import { malformed } from '../../upstream-error/index.ts';

export type Joined = Record<string, unknown>;

/** Strings that grow although a piece equals what came before. */
const GROWING: ReadonlySet<string> = new Set(['arguments', 'input', 'data', 'transcript']);

/**
 * Adds a piece to an object that comes in pieces, as clients join it: strings and lists go on, and members of objects are joined. Some upstreams say a
 * name or an id with each piece: that stays as it is. Values that differ otherwise stand in a list.
 * @param before null: it is the first one
 * @param counter counts what is kept
 * @throws {ProviderError} `malformed` for more JSON than an answer may hold
 */
export function joined(before: Joined | null, piece: unknown, counter: JsonCounter): Joined | null {
  if (!isObject(piece)) return before;
  const whole = before ?? {};
  for (const [key, value] of Object.entries(piece)) {
    const isKnown = Object.hasOwn(whole, key);
    if (value === undefined || (value === null && isKnown)) continue;
    const old = isKnown ? whole[key] : null;
    if (old == null) {
      count(value, counter);
      define(whole, key, cloneJson(value));
    } else define(whole, key, next(old, value, GROWING.has(key), counter));
  }
  return whole;
}

function next(old: unknown, value: unknown, isGrowing: boolean, counter: JsonCounter): unknown {
  if (typeof old === 'string' && typeof value === 'string') return isGrowing || old !== value ? old + value : old;
  if (Array.isArray(old) && Array.isArray(value)) {
    count(value, counter);
    return [...old, ...value];
  }
  const digits = exactDigits(old);
  if (digits === null && isObject(old) && isObject(value)) return joined(old, value, counter);
  if (digits === null ? old === value : digits === exactDigits(value)) return old;
  // Nothing that came is hidden by what came behind it.
  return [...(Array.isArray(old) ? old : [old]), value];
}

/** @throws {ProviderError} `malformed` */
export function count(kept: unknown, counter: JsonCounter): void {
  if (counter.value(kept) !== null) throw malformed('more JSON than an answer may hold');
}
