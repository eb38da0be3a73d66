/**
 * Converts offsets, because Presidio is written in Python and counts Unicode code points.
 * @returns a function that returns the offset in UTF-16 code units of a number of code points; null if the text is shorter
 */
export function codeUnits(text: string): (code_points: number) => number | null {
  // Most texts have no surrogate pairs.
  if (!/[\ud800-\udfff]/.test(text)) return (count) => (count <= text.length ? count : null);
  const offsets: number[] = [];
  let offset = 0;
  for (const character of text) {
    offsets.push(offset);
    offset += character.length;
  }
  offsets.push(offset);
  return (count) => offsets[count] ?? null;
}
