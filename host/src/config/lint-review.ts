import type { Path } from './diagnostic.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './routes-section.ts';

const DAY_MS = 86_400_000;

/** SVC-POL-014: the review of a route is overdue. Without `last_review`, only the ledger knows when the interval began. */
export function lintReview({ last_review, review_interval_days }: Route, path: Path, { report }: LintContext): void {
  if (last_review === undefined || review_interval_days === undefined) return;
  const next = new Date(Date.parse(last_review) + review_interval_days * DAY_MS).toISOString().slice(0, 10);
  if (next >= new Date().toISOString().slice(0, 10)) return;
  const message = `the review of this route is overdue since ${next}: review it and set last_review to the day of the review`;
  report.warning('SVC-POL-014', [...path, 'last_review'], message);
}
