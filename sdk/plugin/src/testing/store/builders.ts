import { randomUUID } from 'node:crypto';
import type { ContentItem, RunChange, RunRow, RunStatus } from '@svc/contracts';

const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** The `created_at` for the nth second. */
export function at(second: number): string {
  return new Date(START + second * 1000).toISOString();
}

/** A run that has just begun. */
export function sampleRun(fields: Partial<RunRow> = {}): RunRow {
  return {
    run_id: randomUUID(),
    route: 'default',
    principal_id: 'alice',
    status: 'running',
    approvers: [],
    events: [],
    config_digest: `sha256:${'0'.repeat(64)}`,
    created_at: at(0),
    expires_at: null,
    approver: null,
    owner: 'instance-a',
    version: 1,
    evidence: null,
    ...fields,
  };
}

type Extras = Partial<Pick<RunChange, 'put_content' | 'drop_content' | 'settlements' | 'unique_key'>>;

/** Stores a new run. */
export function createRun(run: RunRow, extras: Extras = {}): RunChange {
  return { run, expect: null, put_content: [], drop_content: [], settlements: [], ...extras };
}

/** The next row of a run. */
export function next(run: RunRow, status: RunStatus, fields: Partial<RunRow> = {}): RunRow {
  return { ...run, status, version: run.version + 1, ...fields };
}

/** Advances a run from the state in `run`. */
export function moveRun(run: RunRow, status: RunStatus, extras: Extras = {}): RunChange {
  const { version, owner } = run;
  return { ...createRun(next(run, status), extras), expect: { status: run.status, version, owner } };
}

export function item(name: string, text: string, expires_at: number | null = null): ContentItem {
  return { name, bytes: new TextEncoder().encode(text), expires_at };
}
