/** Splits texts into calls, in order. The number of texts and characters in a call is limited. A text that is longer than the limit is sent alone. */
export function batchesOf(texts: readonly string[], size: number, characters: number): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    if (last === undefined || last.length === size || text.length > room) {
      batches.push([text]);
      room = characters - text.length;
    } else {
      last.push(text);
      room -= text.length;
    }
  }
  return batches;
}
