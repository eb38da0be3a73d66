import { costOfRun, type RunCost } from '../trail/cost.ts';
import type { ServedRunInList } from './runs-of-server.ts';

type Cell = (run: ServedRunInList, cost: RunCost) => unknown;

/** The last of a run's events of these types. It says how the run was decided or stopped. */
function last({ events }: ServedRunInList, ...types: string[]) {
  return events.findLast(({ event_type }) => types.includes(event_type));
}

const stop = (run: ServedRunInList) =>
  run.events.findLast(({ event_type, data }) => event_type === 'verdict' && data.verdict === 'block') ??
  last(run, 'paused', 'stopped', 'error');

const COLUMNS: Readonly<Record<string, Cell>> = {
  run_id: ({ run_id }) => run_id,
  created_at: ({ created_at }) => created_at,
  route: ({ route }) => route,
  principal_id: ({ principal_id }) => principal_id,
  status: ({ status }) => status,
  stopped_by: (run) => stop(run)?.node,
  code: (run) => stop(run)?.data.code,
  decision: (run) => last(run, 'decision', 'reused')?.data.decision,
  decided_by: (run) => last(run, 'decision', 'reused')?.data.principal_id,
  decided_at: (run) => last(run, 'decision', 'reused')?.data.at,
  provider: (run) => last(run, 'provider_call')?.data.provider,
  model: (run) => last(run, 'provider_call')?.data.model,
  input_tokens: (_, { input_tokens }) => input_tokens,
  output_tokens: (_, { output_tokens }) => output_tokens,
  micro_usd: (_, { micro_usd }) => micro_usd,
  cost: (_, { cost }) => cost,
  config_digest: ({ config_digest }) => config_digest,
};

export const csvHeader = `${Object.keys(COLUMNS).join(',')}\r\n`;

/** A run as a record of RFC 4180. */
export function csvOf(run: ServedRunInList): string {
  const cost = costOfRun(run.events);
  return `${Object.values(COLUMNS)
    .map((cell) => csvCell(cell(run, cost)))
    .join(',')}\r\n`;
}

/** A text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvCell(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  const safe = /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
