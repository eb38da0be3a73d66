/** Levels of nesting that recorded JSON may have: enough for any JSON schema in use, few enough for every recursive walk. */
const MOST_LEVELS = 64;

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
  if (level > MOST_LEVELS) return 'nested_too_deep';
  if (Array.isArray(value)) return firstOf(value, level);
  for (const key of Object.keys(value)) if (!key.isWellFormed()) return 'ill_formed_text';
  return firstOf(Object.values(value), level);
}

function firstOf(members: readonly unknown[], level: number): Unrecordable | null {
  for (const member of members) {
    const why = whyValue(member, level + 1);
    if (why !== null) return why;
  }
  return null;
}
