import { type Clock, isoTime, parseBody, RUN_STATUSES, type RunQuery, type Store, SvcError } from '@svc/contracts';
import { hasEnded } from '@svc/kernel';
import { LedgerVerifier, sessionCheckpointText, sessionKey, sessionOrigin, sessionReader } from '@svc/ledger';
import type { Proofs } from './proofs.ts';

const PAGE = 1000;
const CHUNK = 100;
const ENDED = RUN_STATUSES.filter(hasEnded);

interface SessionEnv {
  readonly store: Pick<Store, 'head' | 'sessionHead' | 'runs' | 'recordsBySeq'>;
  readonly clock: Clock;
  readonly ledger: Proofs;
}

/** The records of a session, and the note that states their number and hashes. */
export interface SessionExport {
  readonly note: string;
  /** The records in order, in parts. */
  records(): AsyncIterable<readonly string[]>;
}

/**
 * All current records of a session. The checkpoint is signed only if the records form the chain whose end the store has on record.
 * @returns null if no run of the session has ended
 * @throws {SvcError} SVC-STORE-001 if a record is missing or was altered, or the checkpoint cannot be signed now
 */
export async function exportSession(principal: string, session: string, env: SessionEnv): Promise<SessionExport | null> {
  const { store, clock, ledger } = env;
  const key = sessionKey(principal, session);
  // Read first: everything read after this includes every record of the session up to here.
  const ledger_size = (await store.head())?.seq ?? 0;
  const head = await store.sessionHead(key);
  if (head === null) return null;
  const seqs = await seqsOf({ principal, session, status: ENDED, limit: PAGE }, head.seq, store);
  const records = () => recordsOf(seqs, store);
  const verifier = new LedgerVerifier([], [], sessionReader(key));
  for await (const part of records()) for (const bytes of part) verifier.add(Buffer.from(bytes));
  const { fault, records: size, head: last, root } = verifier.report();
  if (fault !== null || size !== head.number || last !== head.hash)
    throw new SvcError('SVC-STORE-001', 'the records of this session differ from what was written: run svc ledger verify');
  const origin = sessionOrigin(ledger.keys.origin, key);
  const time = isoTime(clock.now());
  return { note: await ledger.signed(sessionCheckpointText({ origin, size, root, ledger_size, time })), records };
}

async function seqsOf(query: RunQuery, last: number, store: SessionEnv['store']): Promise<readonly number[]> {
  const seqs: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.runs({ ...query, ...(cursor === undefined ? {} : { cursor }) });
    for (const { evidence } of page.rows) if (evidence !== null && evidence.seq <= last) seqs.push(evidence.seq);
    cursor = page.next;
  }
  return seqs.sort((a, b) => a - b);
}

/** Leaves out records of an earlier release, which ended a run of the session but did not support sessions. */
async function* recordsOf(seqs: readonly number[], store: SessionEnv['store']): AsyncGenerator<readonly string[]> {
  for (let at = 0; at < seqs.length; at += CHUNK) {
    const part = await store.recordsBySeq(seqs.slice(at, at + CHUNK));
    yield part.map(({ bytes }) => bytes).filter((bytes) => (parseBody(bytes) as { session?: unknown }).session !== undefined);
  }
}
