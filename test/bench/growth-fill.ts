import { randomUUID } from 'node:crypto';
import type { RunEvent, RunRow, Store } from '@svc/contracts';
import { evidenceOf } from '@svc/ledger';
import { createRun } from '@svc/sdk/testing';

const BATCH = 2_000;
const BEGIN = Date.UTC(2026, 0, 1);
/** 100 runs a second. */
const EVERY_MS = 10;
const PRINCIPALS = 20;
/** One run in this many is blocked. */
const BLOCKED = 20;

/** A run that a gateway made: its stored row and its ledger record. */
export interface Example {
  readonly row: RunRow;
  readonly events: RunEvent[];
}

export function createdAt(run: number): string {
  return new Date(BEGIN + run * EVERY_MS).toISOString();
}

export function principalOf(run: number): string {
  return `principal-${run % PRINCIPALS}`;
}

export async function exampleIn(store: Store, run_id: string): Promise<Example> {
  const row = await store.run(run_id);
  const [record] = row?.evidence ? await store.recordsBySeq([row.evidence.seq]) : [];
  if (row === null || record === undefined) throw new Error('the example has no evidence');
  return { row: { ...row, evidence: null }, events: (JSON.parse(record.bytes) as { events: RunEvent[] }).events };
}

/** Appends runs like the example, with evidence, for the numbers from `from` up to but not including `to`. */
export async function fill(store: Store, example: Example, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, to - first) }, (_, i) => nth(first + i, example.row));
    await store.commit(
      rows.map((row) => createRun(row)),
      rows.map((row, change) => {
        const parts = evidenceOf({ ...row, events: example.events }, null, row.created_at);
        return { record_type: 'run_evidence', model_id: row.route, parts, change };
      }),
    );
  }
}

function nth(run: number, example: RunRow): RunRow {
  const time = (BEGIN + run * EVERY_MS).toString(16).padStart(12, '0');
  return {
    ...example,
    run_id: `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`,
    principal_id: principalOf(run),
    status: run % BLOCKED === 0 ? 'blocked' : 'completed',
    created_at: createdAt(run),
    version: 2,
  };
}
