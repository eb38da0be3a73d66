import { exactDigits, JSON_LIMITS } from '@svc/contracts';

export type Unrecordable = 'nested_too_deep' | 'ill_formed_text' | 'number_too_large';

/** Values of parsed JSON: objects, arrays, strings, numbers and constants. */
interface Counted {
  values: number;
}

/**
 * Why parsed JSON cannot be recorded faithfully: lone surrogates (two texts would have the same hash), numbers that a double cannot hold, or nesting
 * that would exhaust the stack. Null if it can be recorded.
 * @param counted called with the number of values that were checked
 */
export function whyUnrecordable(json: unknown, counted: Counted = { values: 0 }): Unrecordable | null {
  return whyValue(json, 1, counted);
}

/** Recursive, but only up to the limit of levels. */
function whyValue(value: unknown, level: number, counted: Counted): Unrecordable | null {
  counted.values += 1;
  if (typeof value === 'string') return value.isWellFormed() ? null : 'ill_formed_text';
  if (typeof value === 'bigint') return 'number_too_large';
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'number_too_large';
  if (typeof value !== 'object' || value === null) return null;
  const digits = exactDigits(value);
  if (digits !== null) return Number.isFinite(Number(digits)) ? null : 'number_too_large';
  if (level > JSON_LIMITS.depth) return 'nested_too_deep';
  return Array.isArray(value) ? whyItems(value, level, counted) : whyMembers(value, level, counted);
}

function whyItems(items: readonly unknown[], level: number, counted: Counted): Unrecordable | null {
  for (const item of items) {
    const why = whyValue(item, level + 1, counted);
    if (why !== null) return why;
  }
  return null;
}

function whyMembers(object: object, level: number, counted: Counted): Unrecordable | null {
  for (const key of Object.keys(object)) {
    if (!key.isWellFormed()) return 'ill_formed_text';
    const why = whyValue(Reflect.get(object, key), level + 1, counted);
    if (why !== null) return why;
  }
  return null;
}
