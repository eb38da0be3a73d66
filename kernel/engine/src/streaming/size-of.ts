const VALUE_BYTES = 16;

/** About what a JSON value takes: its texts, and something for each value. Of few levels: it recurses. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + VALUE_BYTES;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : VALUE_BYTES;
  return Object.entries(value).reduce((sum, [key, member]) => sum + key.length + sizeOf(member), VALUE_BYTES);
}
