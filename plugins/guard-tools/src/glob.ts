import { RE2JS } from 're2js';

/** Whether a text matches one of the patterns. `*` stands for any text and `?` for one character. Takes time proportional to the text. */
export function globs(patterns: readonly string[], { anyCase }: { readonly anyCase: boolean }): (text: string) => boolean {
  const alternatives = patterns.map((pattern) => pattern.replace(/[\\^$.|+()[\]{}*?]/g, (sign) => WILD[sign] ?? `\\${sign}`));
  const flags = RE2JS.DOTALL | (anyCase ? RE2JS.CASE_INSENSITIVE : 0);
  const compiled = RE2JS.compile(`(?:${alternatives.join('|')})`, flags);
  return (text) => compiled.matches(text);
}

const WILD: Readonly<Record<string, string>> = { '*': '.*', '?': '.' };
