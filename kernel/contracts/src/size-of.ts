const VALUE_BYTES = 16;

/** The approximate size of a JSON value: the length of its texts, and a constant for each value. Recursive: only for values with few levels. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + VALUE_BYTES;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : VALUE_BYTES;
  return Object.entries(value).reduce((sum, [key, member]) => sum + key.length + sizeOf(member), VALUE_BYTES);
}
