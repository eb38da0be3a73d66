import { isPeer } from './options.ts';
import type { Target } from './target.ts';

/** Short rounds are repeated more often: a busy machine may stall for seconds. */
const TRIES = 4;
const TRIES_MS = 30_000;

/**
 * Measures the targets one after another in several rounds, so that other work on the machine affects all of them. Returns one list per round, in
 * the targets' order. A round in which a target got no answer is repeated and reported, because the machine probably stalled. A peer may really be
 * that slow; then that is its figure.
 */
export async function inRounds<Row>(
  rounds: number,
  targets: readonly Target[],
  measure: (target: Target) => Promise<Row>,
  rate: (row: Row) => number,
): Promise<Row[][]> {
  const measured: Row[][] = [];
  const began = performance.now();
  for (let tries = 1; measured.length < rounds; tries += 1) {
    const row: Row[] = [];
    for (const target of targets) row.push(await measure(target));
    const silent = targets
      .filter(({ name }, at) => !isPeer(name) && row[at] !== undefined && rate(row[at]) === 0)
      .map(({ name }) => name);
    if (silent.length === 0) measured.push(row);
    else if (tries - measured.length < TRIES || performance.now() - began < TRIES_MS)
      process.stderr.write(`no answer from ${silent.join(', ')}: repeating this round\n`);
    else throw new Error(`no answer from ${silent.join(', ')} in ${tries - measured.length} rounds`);
  }
  return measured;
}
