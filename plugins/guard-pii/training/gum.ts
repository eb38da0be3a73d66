import type { Document, Label } from './documents.ts';
import { type Labelled, runningText } from './running-text.ts';

const LABELS: ReadonlyMap<string, Label> = new Map([
  ['person', 'PERSON'],
  ['place', 'LOCATION'],
  ['organization', 'ORGANIZATION'],
]);

interface Open {
  readonly id: string;
  readonly label: Label | undefined;
  readonly from: number;
}

/**
 * Parses a document of the corpus GUM (CoNLL-U) into sentences. A name is the proper nouns at the head of an entity's mention, without titles, which depend
 * on the name as `nmod:desc`.
 */
export function gumOf(conllu: string): Document[] {
  return conllu
    .split(/\n\s*\n/)
    .map((block) => block.split('\n').filter((line) => /^\d+\t/.test(line)))
    .filter((lines) => lines.length > 0)
    .map((lines) => runningText(labelledWords(lines)));
}

function labelledWords(lines: readonly string[]): Labelled[] {
  const rows = lines.map((line) => line.split('\t'));
  const labels: (Label | undefined)[] = rows.map(() => undefined);
  const open: Open[] = [];
  for (const [at, row] of rows.entries()) {
    const entity = /(?:^|\|)Entity=([^|]*)/.exec(row[9] ?? '')?.[1] ?? '';
    for (const [, opening, closing] of entity.matchAll(/\((\d+-[^()]*)|(\d+)?\)/g)) {
      if (opening !== undefined) {
        const [id = '', kind = ''] = opening.split('-');
        open.push({ id, label: LABELS.get(kind), from: at });
        if (entity.includes(`${opening})`)) close(open, id, at, labels, rows);
      } else if (closing !== undefined) close(open, closing, at, labels, rows);
    }
  }
  return rows.map((row, at) => ({
    token: row[1] ?? '',
    label: labels[at],
    begins: false,
    spaced: !(row[9] ?? '').includes('SpaceAfter=No'),
  }));
}

/** Labels the name in a mention that ends here: the proper nouns around the word that the mention depends on. */
function close(open: Open[], id: string, last: number, labels: (Label | undefined)[], rows: readonly string[][]): void {
  const index = open.findLastIndex((mention) => mention.id === id);
  const mention = open[index];
  if (mention === undefined) return;
  open.splice(index, 1);
  const head = headOf(rows, mention.from, last);
  if (!isProper(rows[head]) || rows[head + 1]?.[1] === 'of') return;
  let [from, to] = [head, head];
  while (from > mention.from && isProper(rows[from - 1])) from--;
  while (to < last && isProper(rows[to + 1])) to++;
  for (let at = from; at <= to; at++) labels[at] ??= mention.label;
}

/** The word whose own head is outside the mention. */
function headOf(rows: readonly string[][], from: number, last: number): number {
  for (let at = from; at <= last; at++) {
    const head = Number(rows[at]?.[6]) - 1;
    if (head < from || head > last) return at;
  }
  return from;
}

function isProper(row: readonly string[] | undefined): boolean {
  return row !== undefined && row[3] === 'PROPN' && row[7] !== 'nmod:desc';
}
