/** Finds calls again by number: at the model in the question, and in records in whatever they keep of the request. */
const PATTERN = /\bcase (\d+)\b/;

export function questionFor(call: number): string {
  return `What became of case ${call}?`;
}

/** The number of the call in a text; null if there is none. */
export function callIn(text: string): number | null {
  const number = PATTERN.exec(text)?.[1];
  return number === undefined ? null : Number(number);
}
