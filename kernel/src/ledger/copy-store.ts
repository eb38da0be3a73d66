import { type DumpItem, type DumpKind, GENESIS, type LedgerEntry, type LedgerHead, type Store } from '../contracts/index.ts';
import { LedgerVerifier } from '../proof/index.ts';

export interface CopyReport {
  readonly items: Readonly<Record<DumpKind, number>>;
  /** Of both ledgers, null for an empty one. */
  readonly head: LedgerHead | null;
}

/** The source is not as it should be; nothing was copied. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
}

type Counts = Record<DumpKind, number>;

/** What passes, counted. Every record is checked before it goes on, and at the end that there are no more of them. */
async function* checked(from: Store, counts: Counts, progress: (items: Readonly<Counts>) => void): AsyncGenerator<DumpItem> {
  const check = new LedgerVerifier();
  for await (const item of from.dump()) {
    if (item.kind === 'record') assertWhole(check, item.record);
    counts[item.kind] += 1;
    progress(counts);
    yield item;
  }
  const head = await from.head();
  if ((head?.seq ?? 0) !== check.records || (head?.hash ?? GENESIS) !== check.head) {
    throw new CopyRefused('its ledger does not end where the copy does: it was written to meanwhile, stop every server of it');
  }
}

function broken(seq: number, why: string): CopyRefused {
  return new CopyRefused(`its ledger is broken at seq ${seq} (${why})`);
}

function assertWhole(check: LedgerVerifier, { seq, hash, bytes }: LedgerEntry): void {
  if (!check.add(Buffer.from(bytes))) {
    const { fault } = check.report();
    throw broken(fault?.seq ?? seq, fault?.why ?? 'unknown');
  }
  // What the store keeps beside the bytes.
  if (seq !== check.records) throw broken(check.records, 'wrong_seq');
  if (hash !== check.head) throw broken(seq, 'wrong_hash');
}

/**
 * Copies everything that one opened store keeps into another, which must hold nothing: all or nothing. Nobody may write to either meanwhile.
 * @throws {CopyRefused}; what {@link Store.dump} and {@link Store.load} throw
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
  await to.load(checked(from, items, progress));
  return { items, head: await to.head() };
}
