/** The words of a text, each with the white space after it; joined again they are the text (but for white space at its start). */
export function words(text: string): string[] {
  return text.match(/\S+\s*/gu) ?? [];
}
