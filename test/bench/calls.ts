/** A call that can be found again: at the model by the number in its question, in a record by what that keeps of a request. */
const PATTERN = /\bcase (\d+)\b/;

export function questionFor(call: number): string {
  return `What became of case ${call}?`;
}

/** The call that a text is about; null for none. */
export function callIn(text: string): number | null {
  const number = PATTERN.exec(text)?.[1];
  return number === undefined ? null : Number(number);
}
