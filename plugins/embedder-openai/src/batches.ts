/** Splits texts into calls, in order. Each call is limited in texts and in characters. A longer text is sent alone. */
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
