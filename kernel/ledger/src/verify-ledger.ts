import { ChainVerifier, type LedgerReport } from './chain-verifier.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type ReadRecord, readRecord } from './record.ts';

/** Verifies a ledger, or an operations log, with the schemas of its records. */
export class LedgerVerifier extends ChainVerifier<ReadRecord> {
  /** Takes the parameters of {@link ChainVerifier}. @param read {@link readOperation} for an operations log */
  constructor(checkpoints: readonly Checkpoint[] = [], own: readonly Checkpoint[] = [], read = readRecord) {
    super(read, checkpoints, own);
  }
}

/** As {@link LedgerVerifier}, for records given as texts. */
export async function verifyLedger(
  records: AsyncIterable<string> | Iterable<string>,
  checkpoints: readonly Checkpoint[] = [],
): Promise<LedgerReport> {
  const verifier = new LedgerVerifier(checkpoints);
  for await (const text of records) if (verifier.add(Buffer.from(text)) === null) break;
  return verifier.report();
}
