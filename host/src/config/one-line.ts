/** A text from outside in one line, shortened and without control characters. */
export function oneLine(text: string, max_length = 500): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, max_length);
}
