import type { After } from './chained-record.ts';
import { type Checkpoint, checkpointText } from './checkpoint.ts';
import { type ReadRecord, type RecordFault, readRecord } from './record.ts';
import { sessionKey } from './session-chains.ts';

/**
 * The records of one session are a log of their own inside the ledger: `session.number` is its `seq`, `session.prev_hash` its `prev_hash`. A
 * checkpoint of this log states how many records it has, so an export of a session cannot leave out any record, not even the last.
 */
export interface SessionCheckpoint extends Checkpoint {
  /** The number of ledger records that were searched: the session has no other record among them. */
  readonly ledger_size: number;
  /** When it was signed, ISO 8601. */
  readonly time: string;
}

const ORIGIN = /\/sessions\/([0-9a-f]{64})$/;
const EXTENSION = /^ledger ([1-9][0-9]{0,15})\ntime ([0-9TZ:.-]{20,30})\n/;

/** The origin of a session's log, from the session's key and the origin of the ledger. */
export function sessionOrigin(origin: string, key: string): string {
  return `${origin}/sessions/${key.slice('sha256:'.length)}`;
}

/** The key of the session that a checkpoint belongs to. Null if it belongs to another log. */
export function sessionKeyIn({ origin }: Pick<Checkpoint, 'origin'>): string | null {
  const hex = ORIGIN.exec(origin)?.[1];
  return hex === undefined ? null : `sha256:${hex}`;
}

/** The text to sign as a note: a checkpoint with two extension lines. */
export function sessionCheckpointText({ ledger_size, time, ...checkpoint }: SessionCheckpoint): string {
  return `${checkpointText(checkpoint)}ledger ${ledger_size}\ntime ${time}\n`;
}

/** The two extension lines of the text of a session's checkpoint. Null: it has none. */
export function sessionExtent(text: string): Pick<SessionCheckpoint, 'ledger_size' | 'time'> | null {
  const [, size, time] = EXTENSION.exec(text.split('\n').slice(3).join('\n')) ?? [];
  return size === undefined || time === undefined ? null : { ledger_size: Number(size), time };
}

/** Creates a reader for the records of one session, with their positions in it. A record of another session or out of order is `wrong_session`. */
export function sessionReader(key: string): (bytes: Uint8Array, after?: After) => ReadRecord | RecordFault {
  return (bytes, after) => {
    const read = readRecord(bytes);
    if (typeof read === 'string') return read;
    const { run, place } = read;
    if (run?.session === undefined || sessionKey(run.principal_id, run.session.id) !== key) return 'wrong_session';
    const { number: seq, prev_hash } = run.session;
    if (after !== undefined && (seq !== after.seq + 1 || prev_hash !== after.hash)) return 'wrong_session';
    return { ...read, place: { seq, prev_hash, hash: place.hash } };
  };
}
