import type { Api } from '../../shared/api.ts';
import { type Break, checkChain, isBreak, START } from './chain.ts';
import { splitRecords } from './split.ts';
import { type Head, headOf, rootOf } from './tree.ts';

const PAGE = 1000;

export interface Verdict {
  /** Hashes of all records, in order. */
  readonly hashes: readonly string[];
  readonly took_ms: number;
  /** The gateway's signed head, which the root that was computed here fits or not. */
  readonly head: Head;
  readonly fits: boolean;
}

/** Where the gateway's own chain breaks. */
export interface Broken {
  readonly seq: number;
  readonly what: Break['what'];
}

/**
 * Reads the whole ledger and checks it with this browser's own SHA-256: each record's hash, that each stands on the one before, and that
 * the tree over all of them has the root that the gateway signs.
 * @param onProgress told how many records are checked
 */
export async function verifyLedger(api: Api, onProgress: (checked: number) => void): Promise<Verdict | Broken> {
  const begun = performance.now();
  const hashes: string[] = [];
  let end = START;
  let head: Head | null = null;
  for (;;) {
    const result = await checkChain(splitRecords(await api.ledger(end.seq, PAGE)), end);
    if (isBreak(result)) return { seq: end.seq + result.index + 1, what: result.what };
    const { records } = result;
    end = result.end;
    for (const { hash } of records) hashes.push(hash);
    onProgress(hashes.length);
    if (records.length === PAGE) continue;
    // The checkpoint may be of a ledger that has grown meanwhile.
    head ??= headOf(await api.checkpoint());
    if (hashes.length >= head.size) break;
    if (records.length === 0) throw new Error('The signed checkpoint covers more records than the gateway returned.');
  }
  const fits = (await rootOf(hashes.slice(0, head.size))) === head.root;
  return { hashes, head, fits, took_ms: performance.now() - begun };
}
