import type { CommitOutcome, EvidencePointer, RunRow, RunStatus, Seal, SealedRecord } from '@svc/sdk/plugin';
import { dropContent, putContent } from './content.ts';
import { settle } from './counters.ts';
import { type Databases, readState } from './databases.ts';
import { StoreError } from './errors.ts';
import { appendRecords, readHead } from './ledger.ts';
import { type PreparedChange, rowText } from './prepared-change.ts';
import { type IndexedFields, updateRunIndex } from './run-index.ts';

/** A change that won. */
interface Winner {
  readonly index: number;
  readonly prepared: PreparedChange;
  /** The winner of the same run before it in this commit. */
  readonly earlier: Winner | null;
  /** The row as it was on disk before this commit. */
  readonly stored: RunRow | null;
}

type Decision =
  | { readonly result: 'won'; readonly winner: Winner }
  | { readonly result: 'conflict'; readonly earlier: Winner | null; readonly stored: RunRow | null }
  | { readonly result: 'duplicate'; readonly run_id: string };

export function readRow({ runs }: Databases, run_id: string): RunRow | null {
  const text = runs.get(run_id);
  return text === undefined ? null : JSON.parse(text);
}

/** Who wins, in order; a later change sees an earlier one's row. Only reads. */
function decide(dbs: Databases, changes: readonly PreparedChange[]): Decision[] {
  const latest = new Map<string, Winner>();
  const taken = new Map<string, string>();
  return changes.map((prepared, index): Decision => {
    const { expect, unique_key } = prepared.change;
    const { run_id } = prepared.fields;
    const earlier = latest.get(run_id) ?? null;
    const stored = earlier === null ? readRow(dbs, run_id) : earlier.stored;
    const current = earlier === null ? stored : earlier.prepared.fields;
    const holds =
      expect === null
        ? current === null
        : current?.status === expect.status && current.version === expect.version && current.owner === expect.owner;
    if (!holds) return { result: 'conflict', earlier, stored };
    if (expect === null && unique_key !== undefined) {
      const holder = taken.get(unique_key) ?? dbs.state.get(['unique', unique_key]);
      if (holder !== undefined) return { result: 'duplicate', run_id: holder };
      taken.set(unique_key, run_id);
    }
    const winner = { index, prepared, earlier, stored };
    latest.set(run_id, winner);
    return { result: 'won', winner };
  });
}

/** Evidence of each change by its index. @throws {StoreError} `CHAIN` for evidence of a change that did not win. */
function pointersOf(records: readonly SealedRecord[], winners: readonly Winner[]): Map<number, EvidencePointer> {
  const allowed = new Set(winners.map(({ index }) => index));
  const pointers = new Map<number, EvidencePointer>();
  for (const { change, seq, hash } of records) {
    if (change === null) continue;
    if (!allowed.has(change))
      throw new StoreError('CHAIN', `record ${seq} is evidence of a change that did not win: nothing was written`);
    pointers.set(change, { seq, hash });
  }
  return pointers;
}

function evidenceOf({ index, earlier, stored }: Winner, pointers: Map<number, EvidencePointer>): EvidencePointer | null {
  return pointers.get(index) ?? (earlier === null ? (stored?.evidence ?? null) : evidenceOf(earlier, pointers));
}

/** Adds the moves of this commit to the number of runs of each status. */
function updateCounts({ state }: Databases, moves: readonly { from: IndexedFields | null; to: IndexedFields }[]): void {
  const counts = readState<Partial<Record<RunStatus, number>>>(state, ['counts']) ?? {};
  for (const { from, to } of moves) {
    if (from !== null) counts[from.status] = (counts[from.status] ?? 0) - 1;
    counts[to.status] = (counts[to.status] ?? 0) + 1;
  }
  state.putSync(['counts'], JSON.stringify(counts));
}

/** Everything but a winner's row, of which only the last state of a run is written. */
function writeParts(dbs: Databases, now: number, { prepared: { change, content, fields } }: Winner): void {
  for (const name of change.drop_content) dropContent(dbs, fields.run_id, name);
  for (const item of content) putContent(dbs, fields.run_id, item);
  for (const settlement of change.settlements) settle(dbs.state, now, settlement);
  if (change.expect === null && change.unique_key !== undefined) dbs.state.putSync(['unique', change.unique_key], fields.run_id);
}

function writeRows(dbs: Databases, winners: readonly Winner[], pointers: Map<number, EvidencePointer>): void {
  const last = [...new Map(winners.map((winner) => [winner.prepared.fields.run_id, winner])).values()];
  for (const winner of last) {
    const { fields } = winner.prepared;
    dbs.runs.putSync(fields.run_id, rowText(winner.prepared, evidenceOf(winner, pointers)));
    updateRunIndex(dbs.runIndex, winner.stored, fields);
  }
  updateCounts(
    dbs,
    last
      .map((winner) => ({ from: winner.stored, to: winner.prepared.fields }))
      .filter(({ from, to }) => from?.status !== to.status),
  );
}

function outcomeOf(decision: Decision, pointers: Map<number, EvidencePointer>): CommitOutcome {
  switch (decision.result) {
    case 'won':
      return { result: 'committed', evidence: pointers.get(decision.winner.index) ?? null };
    case 'duplicate':
      return { result: 'duplicate', run_id: decision.run_id };
    case 'conflict': {
      const { earlier, stored } = decision;
      const current = earlier === null ? stored : JSON.parse(rowText(earlier.prepared, evidenceOf(earlier, pointers)));
      return { result: 'conflict', current };
    }
  }
}

/** The whole of a commit; inside a write. What it throws must roll the write back. */
export function applyCommit(dbs: Databases, now: number, changes: readonly PreparedChange[], seal: Seal): CommitOutcome[] {
  const decisions = decide(dbs, changes);
  const winners = decisions.flatMap((decision) => (decision.result === 'won' ? [decision.winner] : []));
  if (winners.length === 0 && changes.length > 0) return decisions.map((decision) => outcomeOf(decision, new Map()));
  const head = readHead(dbs);
  const records = seal(
    head,
    winners.map(({ index }) => index),
  );
  const pointers = pointersOf(records, winners);
  appendRecords(dbs, head, records);
  for (const winner of winners) writeParts(dbs, now, winner);
  if (winners.length > 0) writeRows(dbs, winners, pointers);
  return decisions.map((decision) => outcomeOf(decision, pointers));
}
