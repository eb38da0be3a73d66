import { ChainVerifier, type Checkpoint, type LedgerFault, parseCheckpoint, recordsIn } from '@svc/ledger/chain';
import type { Api } from '../../shared/api.ts';
import { readContent } from './chain.ts';

const PAGE = 1000;

export interface Verdict {
  /** Hashes of all records, in order. */
  readonly hashes: readonly string[];
  readonly took_ms: number;
  /** The gateway's signed head. */
  readonly head: Checkpoint;
  /** Whether the tree over the records has the root in that head. */
  readonly fits: boolean;
}

/**
 * @param issuerProblem why the sign-in with an issuer failed; null: it did not fail
 */
export async function verifyLedger(api: Api, onProgress: (checked: number) => void): Promise<Verdict | LedgerFault> {
  const begun = performance.now();
  // Requested before the records, so that all records it covers are read. The gateway signs nothing while a record is altered:
  // then the records show which one.
  const [head] = await Promise.allSettled([api.checkpoint().then(parseCheckpoint)]);
  const verifier = new ChainVerifier(readContent, head.status === 'fulfilled' ? [head.value] : []);
  const hashes: string[] = [];
  for (let full = true; full; onProgress(hashes.length)) {
    const records = pageOf(await api.ledger(hashes.length, PAGE));
    for (const bytes of records) {
      const read = verifier.add(bytes);
      if (read !== null) hashes.push(read.place.hash);
    }
    full = records.length === PAGE && verifier.fault === null;
  }
  const { fault } = verifier.report();
  if (fault !== null && fault.why !== 'not_as_signed' && fault.why !== 'cut_off') return fault;
  if (head.status === 'rejected') throw head.reason;
  if (fault?.why === 'cut_off') throw new Error('The signed checkpoint covers more records than the gateway returned.');
  return { hashes, head: head.value, fits: fault === null, took_ms: performance.now() - begun };
}

/**
 * The records of a page.
 * @throws for anything else
 */
export function pageOf(bytes: Uint8Array): Uint8Array[] {
  const records = recordsIn(bytes);
  if (records === null) throw new Error('The response is not a ledger page.');
  return records;
}
