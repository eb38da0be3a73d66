import type { ChainStart } from './chain-start.ts';
import { ChainVerifier, type LedgerReport } from './chain-verifier.ts';
import type { Checkpoint } from './checkpoint.ts';
import { Passkeys } from './passkeys.ts';
import { type ReadRecord, readRecord } from './record.ts';

/** Verifies a ledger, or an operations log, with the schemas of its records and the signatures of passkeys. */
export class LedgerVerifier extends ChainVerifier<ReadRecord> {
  readonly passkeys: Passkeys;

  /**
   * Takes the parameters of {@link ChainVerifier}.
   * @param read {@link readOperation} for an operations log
   * @param passkeys shared with the verifier of the other log
   */
  constructor(
    checkpoints: readonly Checkpoint[] = [],
    own: readonly Checkpoint[] = [],
    read = readRecord,
    passkeys = new Passkeys(),
    start?: ChainStart,
  ) {
    super(read, checkpoints, own, start);
    this.passkeys = passkeys;
  }

  override add(bytes: Uint8Array, elsewhere?: ReadRecord): ReadRecord | null {
    const read = super.add(bytes, elsewhere);
    if (read !== null) this.passkeys.add(read);
    return read;
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
