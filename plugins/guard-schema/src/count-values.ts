/** What a parsed answer may hold: memory that a thread cannot get ends the whole process. */
const MAX_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, COLON] = [...'"\\,[{:'].map((sign) => sign.charCodeAt(0));

/** Counts the values and keys of a JSON text by its signs, before anything is built of them. @throws {RangeError} */
export function assertFewValues(text: string): void {
  let count = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === BRACKET || code === BRACE || code === COLON) count += 1;
    if (count > MAX_VALUES) throw new RangeError('the answer has too many values');
  }
}

/** Of the string that begins at `start`; the end of the text where it has none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
