import { exactDigits, isObject } from '@svc/contracts';
import canonicalize from 'canonicalize';

/** Whether a value contains, at any depth, a number that kept its digits. */
export function holdsExact(value: unknown): boolean {
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    if (exactDigits(next) !== null) return true;
    seen.add(next);
    for (const member of Object.values(next)) waiting.push(member);
  }
  return false;
}

/**
 * Canonical JSON of a value that contains numbers that kept their digits; these digits are written unchanged. Recursive: only for bodies of requests
 * and answers, which have few levels. Undefined: the value has no JSON form.
 */
export function exactCanonical(value: unknown): string | undefined {
  if (Array.isArray(value)) return `[${value.map((item) => exactCanonical(item) ?? 'null').join(',')}]`;
  if (!isObject(value) || !isPlain(value)) return exactDigits(value) ?? canonicalize(value);
  const members = Object.keys(value)
    .sort()
    .flatMap((key) => {
      const member = exactCanonical(value[key]);
      return member === undefined ? [] : [`${canonicalize(key)}:${member}`];
    });
  return `{${members.join(',')}}`;
}

/** Whether an object is written member by member. Dates and other objects with `toJSON` are not. */
function isPlain(value: object): boolean {
  return !('toJSON' in value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
