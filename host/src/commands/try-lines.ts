import { printable, styled } from '../terminal/terminal.ts';
import type { Example } from '../try/example.ts';
import { mergeResults, titleOf } from '../try/merge-results.ts';
import type { PackTally, Tally } from '../try/tally.ts';
import type { Place, Result } from '../try/try-example.ts';
import { counted, excerptOf, milliseconds, percent, whereIs } from '../try/words.ts';
import { tableLines } from './table-lines.ts';

/** Places of one type that are listed. */
const MAX_LISTED = 5;

/** What the packs found in an example. Empty if they found nothing. */
export function exampleLines({ source, isText }: Example, results: readonly (Result | null)[], showText: boolean): string[] {
  const lines = mergeResults(results).flatMap((found) => {
    const { verdict, code, finding, places, score } = found;
    const title = `  ${titleOf(found, results)}`;
    if (verdict === null || finding === null) return [`${title}  ${styled('red', `the guard failed (${code})`)}`];
    const type = finding.entity_type + (finding.count === 1 ? '' : ` ×${finding.count}`);
    const line = [title, verdict, type, ...(score === null ? [] : [score.toFixed(2)]), listed(places, isText)].join('  ');
    return [line, ...(showText ? places.slice(0, MAX_LISTED).map(excerptLine) : [])];
  });
  return lines.length === 0 ? [] : [styled('bold', printable(source)), ...lines];
}

function listed(places: readonly Place[], isText: boolean): string {
  if (places.length === 0) return 'in the texts together';
  const more = places.length - MAX_LISTED;
  const shown = places.slice(0, MAX_LISTED).map((place) => printable(whereIs(place, isText)));
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function excerptLine(place: Place): string {
  const [before, found, after] = excerptOf(place).map(printable);
  return `      ${styled('dim', before ?? '')}${styled('yellow', found ?? '')}${styled('dim', after ?? '')}`;
}

/** A table with a line for each pack and threshold, and what the sums mean. */
export function summaryLines(tally: Tally, others: readonly string[]): string[] {
  const rows = [
    ['pack', 'threshold', 'with findings', 'findings', 'verdicts', 'median', '95 %', 'longest'],
    ...tally.packs.map(row),
  ];
  return [
    ...tableLines(rows),
    '',
    `${counted(tally.examples, 'text')}, ${tally.found} with findings${tally.unreadable === 0 ? '' : `, ${tally.unreadable} not readable`}`,
    ...(others.length === 0 ? [] : [`not tried, because they find nothing in a text or need a service: ${others.join(', ')}`]),
  ];
}

function row(tally: PackTally): string[] {
  const { pack, examples, found, findings, failed, times } = tally;
  const verdicts = [...tally.verdicts]
    .filter(([verdict]) => verdict !== 'allow')
    .map(([verdict, count]) => `${verdict} ${count}`);
  return [
    pack.name,
    pack.threshold === null ? '-' : String(pack.threshold),
    `${found} (${percent(found, examples)})`,
    String(findings),
    [...verdicts, ...(failed === 0 ? [] : [`failed ${failed}`])].join(', ') || '-',
    ...[times.median, times.p95, times.longest].map(milliseconds),
  ];
}
