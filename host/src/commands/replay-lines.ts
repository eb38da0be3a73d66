import { CHANGES, OUTCOMES } from '@svc/runtime';
import type { ReplayReport, Shares } from '../replay/report.ts';
import { actsText, aDay, CHANGE_NAMES, interval, LEFT_OUT_NAMES, NOT_ASKED_NAMES } from '../replay/words.ts';
import { printable, styled } from '../terminal/terminal.ts';
import { counted, percent } from '../try/words.ts';
import { tableLines } from './table-lines.ts';

const MAX_IDS = 5;
const MAX_RUNS = 10;
const MAX_SESSIONS = 10;

/** The report for a terminal. What was not replayed comes first. */
export function replayLines(report: ReplayReport): string[] {
  const { replayed } = report;
  return [
    styled('bold', printable(headOf(report))),
    ...notReplayedLines(report),
    ...limitLines(report),
    '',
    styled('bold', `${counted(replayed, 'run')} replayed`),
    ...(replayed === 0
      ? ['To record the content of runs, set server.record_content: true.']
      : [changeTable, approvalLines, outcomeLines, groupLines, runLines].flatMap((lines) => lines(report))),
  ];
}

function headOf({ configuration: { file }, period: { from, to, route } }: ReplayReport): string {
  const start = from === null ? 'until' : `from ${from} until`;
  return `${file} on runs ${start} ${to}${route === null ? '' : ` of route ${route}`}`;
}

function notReplayedLines({ not_replayed: { runs, of, reasons, missing_routes } }: ReplayReport): string[] {
  const ids = (run_ids: readonly string[], count: number): string =>
    ` (${[...run_ids.slice(0, MAX_IDS), ...(count > MAX_IDS ? ['…'] : [])].join(', ')})`;
  const missing = missing_routes.map(({ route, runs: count }) => `${route} ${count}`).join(', ');
  return [
    styled('bold', `not replayed: ${counted(runs, 'run')} of ${of.toLocaleString('en')} (${percent(runs, of)})`),
    ...reasons.map(({ why, runs: count, run_ids }) =>
      printable(`- ${LEFT_OUT_NAMES[why]}: ${count}${why === 'route_missing' ? ` (${missing})` : ''}${ids(run_ids, count)}`),
    ),
  ];
}

function limitLines({ limits: { answer_not_kept, masked_before, guards_not_asked }, by_guard }: ReplayReport): string[] {
  const failures = by_guard.filter(({ failed }) => failed > 0);
  return [
    ...(answer_not_kept === 0 ? [] : [`- answer not recorded, so its verdicts are assumed to stay the same: ${answer_not_kept}`]),
    ...(masked_before === 0 ? [] : [`- already masked when recorded, so guards see the masks: ${masked_before}`]),
    ...guards_not_asked.map(({ guard, why }) =>
      printable(`- guard ${guard} not run, so its recorded verdicts are assumed to stay the same: ${NOT_ASKED_NAMES[why]}`),
    ),
    ...failures.map(({ guard, failed }) =>
      styled('red', printable(`- guard ${guard} failed in ${counted(failed, 'run')}; its on_error decided`)),
    ),
  ];
}

function changeTable({ changes }: ReplayReport): string[] {
  return tableLines([
    ['', 'runs', 'share', '95 % interval'],
    ...CHANGES.map((change) => {
      const share = changes[change];
      return [CHANGE_NAMES[change], share.runs.toLocaleString('en'), percent(share.runs, share.of), interval(share)];
    }),
  ]);
}

function approvalLines({ approvals }: ReplayReport): string[] {
  const { before_a_day, after_a_day, low, high, busiest_day } = approvals;
  if (after_a_day === null || before_a_day === null) return [];
  const range = low === null || high === null ? '' : ` (${aDay(low)} to ${aDay(high)})`;
  const busiest = busiest_day === null ? '' : `; most on ${busiest_day.day}: ${busiest_day.requests}`;
  return ['', `requests for approval a day: ${aDay(after_a_day)}${range}, recorded ${aDay(before_a_day)}${busiest}`];
}

function outcomeLines({ outcomes }: ReplayReport): string[] {
  const rows = OUTCOMES.map((was) => [was, ...OUTCOMES.map((is) => outcomes[was][is].toLocaleString('en'))]);
  return ['', ...tableLines([['recorded', ...OUTCOMES.map((is) => `now ${is}`)], ...rows])];
}

function groupLines({ by_guard, by_route, by_session, more_sessions }: ReplayReport): string[] {
  const sessions = by_session.slice(0, MAX_SESSIONS);
  const more = by_session.length - sessions.length + more_sessions;
  return [
    ...groupTable(
      'guard',
      by_guard.map(({ guard, ...row }) => ({ name: guard || 'texts that cannot be read', ...row })),
    ),
    ...groupTable(
      'route',
      by_route.map(({ route, ...row }) => ({ name: route, ...row })),
    ),
    ...groupTable(
      'session',
      sessions.map(({ principal, session, ...row }) => ({ name: `${principal} ${session}`, ...row })),
    ),
    ...(sessions.length === 0 || more <= 0 ? [] : [`${counted(more, 'session')} more`]),
  ];
}

function groupTable(title: string, rows: readonly (Shares & { readonly name: string; readonly runs: number })[]): string[] {
  if (rows.length === 0) return [];
  const cell = (shares: Shares, change: (typeof CHANGES)[number]): string => {
    const { runs, of } = shares[change];
    if (runs === 0) return '-';
    return of < runs || of === 0 ? String(runs) : `${runs} (${percent(runs, of)}, ${interval(shares[change])})`;
  };
  const lines = rows.map((row) => [
    printable(row.name),
    row.runs.toLocaleString('en'),
    ...CHANGES.map((change) => cell(row, change)),
  ]);
  return ['', ...tableLines([[title, 'runs', ...CHANGES.map((change) => CHANGE_NAMES[change])], ...lines])];
}

function runLines({ runs, changes }: ReplayReport): string[] {
  return CHANGES.flatMap((change) => {
    const listed = runs[change].slice(0, MAX_RUNS);
    const more = changes[change].runs - listed.length;
    if (listed.length === 0) return [];
    return [
      '',
      styled('bold', CHANGE_NAMES[change]),
      ...listed.map(({ run_id, route, session, by }) =>
        printable(`${run_id}  ${route}${session === null ? '' : `  ${session}`}  ${actsText(by)}`),
      ),
      ...(more > 0 ? [`${counted(more, 'run')} more; --json lists up to 1,000`] : []),
    ];
  });
}
