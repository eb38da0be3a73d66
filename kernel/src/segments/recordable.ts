/** Levels of nesting that recorded JSON may have: enough for any JSON schema in use, few enough for every recursive walk. */
const MOST_LEVELS = 64;

export type Unrecordable = 'nested_too_deep' | 'ill_formed_text' | 'number_too_large';

/**
 * Why parsed JSON could not be recorded faithfully, null where it can: lone surrogates (two texts would share one hash), numbers beyond a
 * double, and nesting that exhausts a stack.
 */
export function whyUnrecordable(json: unknown): Unrecordable | null {
  const open: { value: unknown; level: number }[] = [{ value: json, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return 'ill_formed_text';
    if (typeof value === 'number' && !Number.isFinite(value)) return 'number_too_large';
    if (typeof value !== 'object' || value === null) continue;
    if (level > MOST_LEVELS) return 'nested_too_deep';
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) return 'ill_formed_text';
      open.push({ value: member, level: level + 1 });
    }
  }
  return null;
}
