import {
  type ContentItem,
  isSvcError,
  type RecordParts,
  type RunChange,
  type RunEvent,
  type RunRow,
  SvcError,
} from '@svc/contracts';
import { type LiveRun, storedAs } from './live-run.ts';
import type { RunsEnv } from './runs-env.ts';

/** Another process or request changed the run first. */
export class LostRace extends Error {}

/** A run with the same idempotency key exists already. */
export class DuplicateRun extends Error {
  readonly run_id: string;
  constructor(run_id: string) {
    super('duplicate');
    this.run_id = run_id;
  }
}

/** The row that the next commit writes for a run that is not paused. */
export function nextRow(run: LiveRun, events: RunEvent[], env: RunsEnv): RunRow {
  const version = run.stored.kind === 'row' ? run.stored.row.version + 1 : 1;
  return { ...run.row, owner: env.instance, version, events, expires_at: null };
}

/**
 * Writes a row of the run and everything that belongs to it, unless someone else has changed the row.
 * @throws {LostRace}; {@link DuplicateRun}; {SvcError} SVC-STORE-001
 */
export async function commit(
  run: LiveRun,
  change: Omit<RunChange, 'expect'>,
  evidence: RecordParts | null,
  env: RunsEnv,
): Promise<RunRow['evidence']> {
  try {
    const expect = run.stored.kind === 'row' ? run.stored.row : null;
    const outcome = await env.writer.commit({ ...change, expect }, evidence);
    if (outcome.result === 'duplicate') throw new DuplicateRun(outcome.run_id);
    if (outcome.result === 'conflict') throw new LostRace(outcome.result);
    run.stored = storedAs(change.run);
    run.row.version = change.run.version;
    if (change.run.status !== expect?.status) env.observer.status(change.run);
    return outcome.evidence;
  } catch (error) {
    throw isSvcError(error) ? paidFor(error, run) : error;
  }
}

/** Writes that a run is queued in this process, stays paused, or is being worked on. `put_content`: encrypted. `expires_at`: null unless it stays paused. */
export function saveRunning(
  run: LiveRun,
  put_content: readonly ContentItem[],
  env: RunsEnv,
  expires_at: string | null = null,
): Promise<unknown> {
  const unique_key = run.stored.kind === 'nothing' ? run.stored.unique_key : null;
  const change = {
    run: { ...nextRow(run, [...run.row.events], env), expires_at },
    put_content,
    drop_content: [],
    settlements: [],
    ...(unique_key === null ? {} : { unique_key }),
  };
  return commit(run, change, null, env);
}

/**
 * Starts to write the first row of a run while the work continues. Wait for `startWrite` before anything is sent to a model: then every run that
 * reached a model has a row, even after a crash. `stored` is called as soon as the row is written.
 */
export function recordStart(run: LiveRun, stored: () => void, env: RunsEnv): void {
  const written = saveRunning(run, [], env);
  run.stored = { kind: 'starting', written };
  // The caller that awaits this promise handles the error. Until then, the error must not count as unhandled.
  written.then(stored, () => undefined);
}

/** The same error, marked as paid if a model call was billed. */
export function paidFor(error: SvcError, run: LiveRun): SvcError {
  if (error.paid || run.spend.length === 0) return error;
  const { code, status, message } = error;
  return new SvcError(code, message.slice(code.length + 2), { status, paid: true, run_id: run.run_id, cause: error });
}
