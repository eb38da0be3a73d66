import { isPeer } from './options.ts';
import type { Target } from './target.ts';

const TRIES = 4;

/**
 * Measures the targets one after another, again and again, so that whatever the machine does meanwhile meets all of them: one list for each
 * round, in the targets' order. A round in which one of them got no answer at all is made again, and it is said: then the machine stood still. A peer may
 * be that slow, which is its figure.
 */
export async function inRounds<Row>(
  rounds: number,
  targets: readonly Target[],
  measure: (target: Target) => Promise<Row>,
  rate: (row: Row) => number,
): Promise<Row[][]> {
  const measured: Row[][] = [];
  for (let tries = 1; measured.length < rounds; tries += 1) {
    const row: Row[] = [];
    for (const target of targets) row.push(await measure(target));
    const silent = targets
      .filter(({ name }, at) => !isPeer(name) && row[at] !== undefined && rate(row[at]) === 0)
      .map(({ name }) => name);
    if (silent.length === 0) measured.push(row);
    else if (tries - measured.length < TRIES)
      process.stderr.write(`no answer from ${silent.join(', ')}: this round is made again\n`);
    else throw new Error(`no answer from ${silent.join(', ')} in ${TRIES} rounds`);
  }
  return measured;
}
