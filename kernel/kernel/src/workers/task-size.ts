/** Further values are not counted. */
const MAX_VALUES = 10_000;
/** The size assumed for a task with too many values, so that it counts as large. */
const LARGE = 1_048_576;

/** Approximate size of a value in a message to a thread, in bytes. */
export function taskSize(input: unknown): number {
  let bytes = 0;
  let values = 0;
  const seen = new Set<object>();
  const left: unknown[] = [input];
  while (left.length > 0) {
    const value = left.pop();
    values += 1;
    if (values + left.length > MAX_VALUES) return Math.max(bytes, LARGE);
    bytes += typeof value === 'string' ? value.length : 8;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) bytes += value.byteLength;
    else if (value instanceof Map || value instanceof Set) left.push(...[...value].slice(0, MAX_VALUES).flat());
    else for (const own of Object.values(value).slice(0, MAX_VALUES)) left.push(own);
  }
  return bytes;
}
