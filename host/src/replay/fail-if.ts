import { CHANGES, type Change } from '@svc/runtime';
import { CliError } from '../errors/cli-error.ts';
import type { ReplayReport } from './report.ts';

/** A condition on a report, such as `newly_blocked>1%`. */
export interface Condition {
  /** As the user wrote it. */
  readonly text: string;
  holds(report: ReplayReport): boolean;
}

const FORM = /^([a-z_]+)(>=?)(\d{1,9}(?:\.\d{1,6})?)(%?)$/;
const SHARES: readonly string[] = [...CHANGES, 'not_replayed'];
const NUMBERS: readonly string[] = ['guard_failures', 'approvals_a_day'];

/** @throws {CliError} */
export function readCondition(text: string): Condition {
  const [, name = '', operator, limit, percent] = FORM.exec(text) ?? [];
  const isPercent = percent === '%';
  if (!(SHARES.includes(name) || (NUMBERS.includes(name) && !isPercent)))
    throw new CliError(
      `--fail-if ${text} is not a condition: use NAME>N, NAME>=N or NAME>N% with ${SHARES.join(', ')}, or NAME>N with ${NUMBERS.join(', ')}`,
      2,
    );
  if (isPercent && (Number(limit) > 100 || (operator === '>' && Number(limit) === 100)))
    throw new CliError(`--fail-if ${text} can never hold: a share is at most 100%`, 2);
  return {
    text,
    holds: (report) => {
      const value = measured(name, isPercent, report);
      return operator === '>' ? value > Number(limit) : value >= Number(limit);
    },
  };
}

function measured(name: string, isPercent: boolean, report: ReplayReport): number {
  if (name === 'approvals_a_day') return report.approvals.after_a_day ?? 0;
  if (name === 'guard_failures') return report.by_guard.reduce((sum, { failed }) => sum + failed, 0);
  const { runs, of } = name === 'not_replayed' ? report.not_replayed : report.changes[name as Change];
  if (!isPercent) return runs;
  return of === 0 ? 0 : (100 * runs) / of;
}
