import { type DumpItem, type DumpKind, errorMessage, GENESIS, type LedgerHead, type Store } from '@svc/contracts';
import type { LedgerVerifier } from '@svc/ledger';
import { isMark, LedgerMigrated, markMoved, moveOf } from './migrated.ts';
import { StoreCheck, type StoreFault } from './store-check.ts';

export interface CopyReport {
  readonly items: Readonly<Counts>;
  /** Of both ledgers, null for an empty one. */
  readonly head: LedgerHead | null;
}

/** The source is not as it should be; nothing was copied. */
export class CopyRefused extends Error {
  override readonly name = 'CopyRefused';
  /** What of it is broken; null if it is refused for something else. */
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
 * Passes items on, and counts them. Each is checked before it is passed on, and all of them before the copy can be complete; then `end` checks the
 * source.
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

/** Marks the source, and looks at it once more for records that came meanwhile. */
async function close(from: Store, name: string, check: LedgerVerifier): Promise<void> {
  await markMoved(from, { to: name, whole: false }).catch((error: unknown) => {
    throw new CopyRefused(`it cannot be marked as migrated (${errorMessage(error)})`);
  });
  const head = await from.head();
  if ((head?.seq ?? 0) !== check.records || (head?.hash ?? GENESIS) !== check.head) {
    throw new CopyRefused('its ledger changed during the copy: stop every server that uses it, then try again');
  }
}

/**
 * Copies everything that one opened store keeps into another, which must hold nothing: all or nothing. Nobody may write to either meanwhile.
 * From then on no gateway serves the first.
 * @param name of the second, for people
 * @throws {CopyRefused}, {@link LedgerMigrated}; what {@link Store.dump} and {@link Store.load} throw
 */
export async function copyStore(
  from: Store,
  to: Store,
  name: string,
  progress: (items: Readonly<Counts>) => void,
): Promise<CopyReport> {
  const items = none();
  const before = await moveOf(from);
  // One that did not come to its end may be tried again.
  if (before?.whole === true) throw new LedgerMigrated(before);
  try {
    await to.load(checked(from, items, progress, (check) => close(from, name, check)));
  } catch (error) {
    // A mark that stays is loud, and can be taken back; one that is missing would be a fork.
    await markMoved(from, before).catch(() => undefined);
    throw error;
  }
  // It is refused without this too, in other words.
  await markMoved(from, { to: name, whole: true }).catch(() => undefined);
  return { items, head: await to.head() };
}

/**
 * Copies what one opened store keeps at one moment into another, which must hold nothing: all or nothing. Others may go on writing to the
 * first, and serve from it.
 * @throws {CopyRefused}; what {@link Store.dump} and {@link Store.load} throw
 */
export async function backUpStore(from: Store, to: Store, progress: (items: Readonly<Counts>) => void): Promise<void> {
  await to.load(checked(from, none(), progress, async () => undefined));
}
