import type { CommitOutcome, EvidencePointer, RunChange, RunRow, RunStatus } from '@svc/contracts';
import { type PreparedChange, rowText } from './prepared-change.ts';

/** A change to be written. */
export interface Winner {
  readonly index: number;
  readonly prepared: PreparedChange;
  /** The previous winner of the same run in this commit. */
  readonly earlier: Winner | null;
  /** The row on disk before this commit. */
  readonly stored: StoredFields | null;
}

/** The fields of a row on disk that affect the decision and its effects. */
export type StoredFields = Omit<RunRow, 'events'>;

export type Decision =
  | { readonly result: 'won'; readonly winner: Winner }
  /** The change was written before. */
  | { readonly result: 'repeated'; readonly evidence: EvidencePointer | null }
  /** `stored`: the conflicting row, unless the conflict is with `earlier`. */
  | { readonly result: 'conflict'; readonly earlier: Winner | null; readonly stored: RunRow | null }
  | { readonly result: 'duplicate'; readonly run_id: string };

/** The data on disk, as the exclusive write sees it. */
export interface Stored {
  fields(run_id: string): StoredFields | null;
  /** Called only for a change that lost. */
  row(run_id: string): RunRow | null;
  /** The run that has this unique key. */
  keyHolder(unique_key: string): string | undefined;
}

export interface Decided {
  /** One decision for each change, in order. */
  readonly decisions: readonly Decision[];
  readonly winners: readonly Winner[];
  /** The last winner of each run. Only the row of that one is written. */
  readonly last: readonly Winner[];
}

/** Decides which changes win, in order. A later change sees the row of an earlier one. Only reads. */
export function decide(changes: readonly PreparedChange[], on_disk: Stored): Decided {
  const winners: Winner[] = [];
  const latest = new Map<string, Winner>();
  const taken = new Map<string, string>();
  const decisions = changes.map((prepared, index): Decision => {
    const { expect, unique_key } = prepared.change;
    const { run_id } = prepared.run;
    const earlier = latest.get(run_id) ?? null;
    const stored = earlier === null ? on_disk.fields(run_id) : earlier.stored;
    const current = earlier === null ? stored : earlier.prepared.run;
    if (!holds(expect, current)) return lost(prepared, earlier, stored, on_disk);
    if (expect === null && unique_key !== undefined) {
      const holder = taken.get(unique_key) ?? on_disk.keyHolder(unique_key);
      if (holder !== undefined) return { result: 'duplicate', run_id: holder };
      taken.set(unique_key, run_id);
    }
    const winner = { index, prepared, earlier, stored };
    winners.push(winner);
    latest.set(run_id, winner);
    return { result: 'won', winner };
  });
  return { decisions, winners, last: [...latest.values()] };
}

function lost({ change, run }: PreparedChange, earlier: Winner | null, stored: StoredFields | null, on_disk: Stored): Decision {
  if (earlier !== null) return { result: 'conflict', earlier, stored: null };
  const isRepeated = stored?.change !== undefined && stored.change === change.id;
  if (isRepeated) return { result: 'repeated', evidence: stored.evidence };
  return { result: 'conflict', earlier, stored: on_disk.row(run.run_id) };
}

function holds(expect: RunChange['expect'], current: StoredFields | null): boolean {
  if (expect === null || current === null) return expect === current;
  return current.status === expect.status && current.version === expect.version && current.owner === expect.owner;
}

/** The evidence of a winner's row: its own, or that of the previous row. */
export function evidencePointerOf(
  { index, earlier, stored }: Winner,
  pointers: ReadonlyMap<number, EvidencePointer>,
): EvidencePointer | null {
  return pointers.get(index) ?? (earlier === null ? (stored?.evidence ?? null) : evidencePointerOf(earlier, pointers));
}

/** How these rows change the number of runs of each status. */
export function movesOf(last: readonly Winner[]): Map<RunStatus, number> {
  const moves = new Map<RunStatus, number>();
  const add = (row: Pick<RunRow, 'status'> | null, n: number): void => {
    if (row !== null) moves.set(row.status, (moves.get(row.status) ?? 0) + n);
  };
  for (const { stored, prepared } of last) {
    if (stored?.status === prepared.run.status) continue;
    add(stored, -1);
    add(prepared.run, 1);
  }
  return moves;
}

export function outcomeOf(decision: Decision, pointers: ReadonlyMap<number, EvidencePointer>): CommitOutcome {
  switch (decision.result) {
    case 'won':
      return { result: 'committed', evidence: pointers.get(decision.winner.index) ?? null };
    case 'repeated':
      return { result: 'committed', evidence: decision.evidence };
    case 'duplicate':
      return { result: 'duplicate', run_id: decision.run_id };
    case 'conflict': {
      const { earlier, stored } = decision;
      const current = earlier === null ? stored : JSON.parse(rowText(earlier.prepared, evidencePointerOf(earlier, pointers)));
      return { result: 'conflict', current };
    }
  }
}
