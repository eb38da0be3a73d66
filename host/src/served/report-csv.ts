import type { PeriodReport, Review } from '../report/period-counts.ts';
import { csvCell } from './audit-csv.ts';

type Row = readonly [kind: string, route: string, name: string, stage: string, measure: string, value: string | number];
const HEADER = ['kind', 'route', 'name', 'stage', 'measure', 'value'];

/** The counts in the form of RFC 4180: one row for each number, so that one file holds all of them. */
export function reportCsv({ routes, guards, approvers }: PeriodReport, reviews: readonly Review[]): string {
  const rows: Row[] = [
    ...routes.flatMap(({ route, by_status, ...counts }): Row[] => [
      ...Object.entries(by_status).map(([status, runs]): Row => ['runs', route, '', '', status, runs]),
      ['tokens', route, '', '', 'input', counts.input_tokens],
      ['tokens', route, '', '', 'output', counts.output_tokens],
      ['cost', route, '', '', 'micro_usd', counts.micro_usd],
      ['cost', route, '', '', 'runs_without_price', counts.runs_without_price],
    ]),
    ...guards.flatMap(({ route, guard, stage, verdicts, observed }): Row[] => [
      ...Object.entries(verdicts).map(([verdict, runs]): Row => ['verdicts', route, guard, stage, verdict, runs]),
      ...Object.entries(observed).map(([verdict, runs]): Row => ['observed', route, guard, stage, verdict, runs]),
    ]),
    ...approvers.flatMap(({ route, principal_id, approved, denied }): Row[] => [
      ['decisions', route, principal_id, 'approval', 'approved', approved],
      ['decisions', route, principal_id, 'approval', 'denied', denied],
    ]),
    ...reviews.map(
      ({ route, owner, next_review, overdue }): Row => [
        'reviews',
        route,
        owner ?? '',
        '',
        overdue ? 'overdue_since' : 'next',
        next_review,
      ],
    ),
  ];
  return [HEADER, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
