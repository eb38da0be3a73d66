import type { Finding } from '@svc/sdk';
import type { Options } from './options.ts';
import type { Reading } from './readings.ts';

export interface Label {
  /** As the model calls it. */
  readonly name: string;
  /** As it is recorded: `severe toxicity` is `severe.toxicity`. */
  readonly code: string;
  readonly threshold: number;
}

/** In the order of the configuration. */
export function labelsOf({ labels, threshold }: Pick<Options, 'labels' | 'threshold'>): readonly Label[] {
  return Object.entries(labels).map(([name, own]) => ({
    name,
    code: name.replace(/[^A-Za-z0-9._-]/g, '.'),
    threshold: own.threshold ?? threshold,
  }));
}

/** A label that texts have, in how many of them, and its highest score. */
interface Found extends Required<Pick<Finding, 'count' | 'score' | 'origins'>> {
  readonly label: Label;
}

/**
 * The labels that reach their thresholds. A reading has the highest score of its texts.
 * @param scores of all texts of the readings, in order: one for each label, from 0 to 1
 */
export function findLabels(
  readings: readonly Reading[],
  scores: readonly (readonly number[])[],
  labels: readonly Label[],
): Found[] {
  let next = 0;
  const rows = readings.map(({ texts, origins }) => {
    const own = scores.slice(next, next + texts.length);
    next += texts.length;
    return { origins, scores: labels.map((_, at) => own.reduce((highest, row) => Math.max(highest, row[at] ?? Number.NaN), 0)) };
  });
  return labels.flatMap((label, at) => {
    const having = rows.filter((row) => (row.scores[at] ?? Number.NaN) >= label.threshold);
    if (having.length === 0) return [];
    const score = having.reduce((highest, row) => Math.max(highest, row.scores[at] ?? 0), 0);
    return [{ label, count: having.length, score, origins: [...new Set(having.flatMap(({ origins }) => origins))] }];
  });
}
