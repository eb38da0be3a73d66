import type { DumpItem, DumpKind, LedgerEntry, LedgerHead, Store } from '../contracts/index.ts';
import { ChainCheck, type ChainFault } from './verify-chain.ts';

export interface CopyReport {
  readonly items: Readonly<Record<DumpKind, number>>;
  /** Of both ledgers, null for an empty one. */
  readonly head: LedgerHead | null;
}

/** The ledger that was to be copied is not whole. */
export class BrokenLedger extends Error {
  override readonly name = 'BrokenLedger';
  readonly fault: ChainFault;
  constructor(fault: ChainFault) {
    super(`the ledger is broken at seq ${fault.seq} (${fault.why})`);
    this.fault = fault;
  }
}

type Counts = Record<DumpKind, number>;

/** What passes, counted; every record is checked before it goes on. */
async function* checked(
  items: AsyncIterable<DumpItem>,
  counts: Counts,
  progress: (items: Readonly<Counts>) => void,
): AsyncGenerator<DumpItem> {
  const check = new ChainCheck();
  for await (const item of items) {
    if (item.kind === 'record') assertWhole(check, item.record);
    counts[item.kind] += 1;
    progress(counts);
    yield item;
  }
}

function assertWhole(check: ChainCheck, { seq, hash, bytes }: LedgerEntry): void {
  const fault = check.next(bytes);
  if (fault !== null) throw new BrokenLedger(fault);
  // What the store keeps beside the bytes.
  const { records, head } = check.report(null);
  if (seq !== records) throw new BrokenLedger({ seq: records, why: 'wrong_seq' });
  if (hash !== head) throw new BrokenLedger({ seq, why: 'wrong_hash' });
}

/**
 * Copies everything that one opened store keeps into another, which must hold nothing: all or nothing. Nobody may write to either meanwhile.
 * @throws {BrokenLedger}; {@link Store.load} and what the stores throw
 */
export async function copyStore(
  from: Store,
  to: Store,
  progress: (items: Readonly<Record<DumpKind, number>>) => void,
): Promise<CopyReport> {
  const items: Counts = {
    record: 0,
    run: 0,
    unique_key: 0,
    content: 0,
    counter: 0,
    reservation: 0,
    lease: 0,
    cursor: 0,
    meta: 0,
  };
  await to.load(checked(from.dump(), items, progress));
  return { items, head: await to.head() };
}
