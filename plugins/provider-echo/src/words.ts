/** The words of a text, each with the white space after it. Joined, they are the text without its leading white space. */
export function words(text: string): string[] {
  return text.match(/\S+\s*/gu) ?? [];
}
