import { JSON_LIMITS } from '@svc/contracts';

export type Unrecordable = 'nested_too_deep' | 'ill_formed_text' | 'number_too_large';

/**
 * Why parsed JSON could not be recorded faithfully, null where it can: lone surrogates (two texts would share one hash), numbers beyond a
 * double, and nesting that exhausts a stack.
 */
export function whyUnrecordable(json: unknown): Unrecordable | null {
  return whyValue(json, 1);
}

/** Recursive, and safe to be: it goes no deeper than the limit. */
function whyValue(value: unknown, level: number): Unrecordable | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : 'ill_formed_text';
  if (typeof value === 'bigint') return 'number_too_large';
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'number_too_large';
  if (typeof value !== 'object' || value === null) return null;
  if (level > JSON_LIMITS.depth) return 'nested_too_deep';
  return Array.isArray(value) ? whyItems(value, level) : whyMembers(value, level);
}

function whyItems(items: readonly unknown[], level: number): Unrecordable | null {
  for (const item of items) {
    const why = whyValue(item, level + 1);
    if (why !== null) return why;
  }
  return null;
}

function whyMembers(object: object, level: number): Unrecordable | null {
  for (const key of Object.keys(object)) {
    if (!key.isWellFormed()) return 'ill_formed_text';
    const why = whyValue(Reflect.get(object, key), level + 1);
    if (why !== null) return why;
  }
  return null;
}
