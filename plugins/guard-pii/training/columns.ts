import type { Document } from './documents.ts';
import { type Labelled, runningText } from './running-text.ts';

/**
 * Parses a file with a token a line and an empty line after each sentence. The label, such as `B-PER` or `I-location`, is the last column, or the
 * column `label`; the token is the first column, or the column `token`. `hyphens`: whether words with hyphens are split into several tokens.
 * `text`: whether the spaces are those of the line `# text = ` of a sentence, rather than guessed.
 */
export function columnsOf<L extends string>(
  file: string,
  labels: ReadonlyMap<string, L>,
  { token = 0, label = -1, hyphens = false, text = false } = {},
): Document<L>[] {
  return file
    .split(/\n\s*\n/)
    .map((block) => ({
      lines: block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# ') && !line.startsWith('-DOCSTART-')),
      written: text ? /^# text = (.*)/m.exec(block)?.[1] : undefined,
    }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ lines, written }) => {
      const tokens = lines.map((line) => labelled(line.split(/[\t ]/), labels, token, label));
      const spaced = written === undefined ? tokens : spacedAs(written, tokens);
      return runningText(hyphens ? withHyphens(spaced) : spaced);
    });
}

/** Spaces follow as in the text. */
function spacedAs<L extends string>(text: string, tokens: readonly Labelled<L>[]): Labelled<L>[] {
  let end = 0;
  return tokens.map((one) => {
    const start = text.indexOf(one.token, end);
    if (start >= 0) end = start + one.token.length;
    return { ...one, spaced: /\s/.test(text.charAt(end)) };
  });
}

function labelled<L extends string>(
  columns: readonly string[],
  labels: ReadonlyMap<string, L>,
  token: number,
  label: number,
): Labelled<L> {
  const [, position = 'O', name = ''] = /^([BIESLU])-(.+)$/.exec(columns.at(label)?.trim() ?? '') ?? [];
  return { token: columns[token] ?? '', label: labels.get(name.toLowerCase()), begins: position === 'B' || position === 'S' };
}

/** No space stands around a hyphen. */
function withHyphens<L extends string>(tokens: readonly Labelled<L>[]): Labelled<L>[] {
  return tokens.map((one, at) => (one.token === '-' || tokens[at + 1]?.token === '-' ? { ...one, spaced: false } : one));
}
