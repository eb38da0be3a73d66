/** The words of a text, each with the white space that follows it. Leading white space is dropped. */
export function words(text: string): string[] {
  return text.match(/\S+\s*/gu) ?? [];
}
