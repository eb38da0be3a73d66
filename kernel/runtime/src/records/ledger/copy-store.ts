import { type DumpItem, type DumpKind, errorMessage, GENESIS, type LedgerHead, type Store } from '@svc/contracts';
import type { LedgerVerifier } from '@svc/ledger';
import { isMark, LedgerMigrated, markMigrated, migrationOf } from './migrated.ts';
import { StoreCheck, type StoreFault } from './store-check.ts';

export interface CopyReport {
  readonly items: Readonly<Counts>;
  /** Head of both ledgers. Null if they are empty. */
  readonly head: LedgerHead | null;
}

/** The source cannot be copied. Nothing was copied. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  /** The fault in the source. Null if the copy was refused for another reason. */
  readonly fault: StoreFault | null;

  constructor(message: string, fault: StoreFault | null = null) {
    super(message);
    this.fault = fault;
  }
}

type Counts = Record<DumpKind, number>;

function none(): Counts {
  return { record: 0, session: 0, run: 0, unique_key: 0, content: 0, counter: 0, reservation: 0, lease: 0, cursor: 0, meta: 0 };
}

/**
 * Passes items on and counts them. Each item is checked before it is passed on. After the last one, the whole is checked and `end` is called, so a
 * copy of a broken source cannot complete.
 */
async function* checked(
  from: Store,
  counts: Counts,
  progress: (items: Readonly<Counts>) => void,
  end: (check: LedgerVerifier) => Promise<void>,
): AsyncGenerator<DumpItem> {
  const check = await StoreCheck.begin(from);
  for await (const item of check.items(from)) {
    if (item.kind === 'meta' && isMark(item.key)) continue;
    counts[item.kind] += 1;
    progress(counts);
    yield item;
  }
  const fault = check.end();
  if (fault !== null) throw new CopyRefused(`its ${nameOf(fault)} is broken ${placeOf(fault)} (${fault.why})`, fault);
  await end(check.verifier);
}

function nameOf(fault: StoreFault): string {
  return 'log' in fault ? 'operations log' : 'ledger';
}

function placeOf(fault: StoreFault): string {
  if ('seq' in fault) return `at seq ${fault.seq}`;
  if ('run_id' in fault) return `at run ${fault.run_id}`;
  if ('status' in fault) return `at its runs with status ${fault.status}`;
  return 'key' in fault ? `at ${fault.key}` : 'at its sessions';
}

/** Marks the source as migrated, then checks that no records were added meanwhile. */
async function close(from: Store, name: string, check: LedgerVerifier): Promise<void> {
  await markMigrated(from, { to: name, whole: false }).catch((error: unknown) => {
    throw new CopyRefused(`it cannot be marked as migrated (${errorMessage(error)})`);
  });
  const head = await from.head();
  if ((head?.seq ?? 0) !== check.records || (head?.hash ?? GENESIS) !== check.head) {
    throw new CopyRefused('its ledger changed during the copy: stop every server that uses it, then try again');
  }
}

/**
 * Copies everything from one open store into another, which must be empty: all or nothing. Nobody may write to either store meanwhile. Afterwards, no
 * gateway serves the source.
 * @param name name of the target, for people
 * @throws {CopyRefused}, {@link LedgerMigrated}; errors of {@link Store.dump} and {@link Store.load}
 */
export async function copyStore(
  from: Store,
  to: Store,
  name: string,
  progress: (items: Readonly<Counts>) => void,
): Promise<CopyReport> {
  const items = none();
  const before = await migrationOf(from);
  // An interrupted migration may be repeated.
  if (before?.whole === true) throw new LedgerMigrated(before);
  try {
    await to.load(checked(from, items, progress, (check) => close(from, name, check)));
  } catch (error) {
    // If the mark is left by mistake, this is reported and can be undone. Without a mark, the ledger could be forked.
    await markMigrated(from, before).catch((cause: unknown) => {
      const reason = `${errorMessage(error)}; it may still be marked as migrated (${errorMessage(cause)}): run svc migrate undo`;
      throw new CopyRefused(reason);
    });
    throw error;
  }
  // A failure is not reported: without this second mark, the first one still makes gateways refuse the source.
  await markMigrated(from, { to: name, whole: true }).catch(() => undefined);
  return { items, head: await to.head() };
}

/**
 * Copies a snapshot of one open store into another, which must be empty: all or nothing. Others may continue to use the source.
 * @throws {CopyRefused}; errors of {@link Store.dump} and {@link Store.load}
 */
export async function backUpStore(from: Store, to: Store, progress: (items: Readonly<Counts>) => void): Promise<void> {
  await to.load(checked(from, none(), progress, async () => undefined));
}
