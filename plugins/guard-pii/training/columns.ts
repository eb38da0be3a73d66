import type { Document, Label } from './documents.ts';
import { type Labelled, runningText } from './running-text.ts';

/**
 * Parses a file with a token a line and an empty line after each sentence. The label, such as `B-PER` or `I-location`, is the last column, or the
 * column `label`; the token is the first column, or the column `token`.
 */
export function columnsOf(file: string, labels: ReadonlyMap<string, Label>, { token = 0, label = -1 } = {}): Document[] {
  return file
    .split(/\n\s*\n/)
    .map((block) =>
      block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('# ') && !line.startsWith('-DOCSTART-')),
    )
    .filter((lines) => lines.length > 0)
    .map((lines) => runningText(lines.map((line) => labelled(line.split(/[\t ]/), labels, token, label))));
}

function labelled(columns: readonly string[], labels: ReadonlyMap<string, Label>, token: number, label: number): Labelled {
  const [, position = 'O', name = ''] = /^([BIESLU])-(.+)$/.exec(columns.at(label)?.trim() ?? '') ?? [];
  return { token: columns[token] ?? '', label: labels.get(name.toLowerCase()), begins: position === 'B' || position === 'S' };
}
