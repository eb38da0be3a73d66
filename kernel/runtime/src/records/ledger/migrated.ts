import type { Store } from '@svc/contracts';

type Meta = Pick<Store, 'readMeta' | 'writeMeta'>;

const KEY = 'ledger/moved-to';
/** Marks a migration that was undone, because the store cannot remove a value. */
const NONE = '';

/** Where a ledger continues, in a form that people can read. `whole` is false while the ledger is being copied. */
export interface Migration {
  readonly to: string;
  readonly whole: boolean;
}

/** The ledger continues in a copy. Continuing it here as well would fork it, and each fork would look complete. */
export class LedgerMigrated extends Error {
  override readonly name = 'LedgerMigrated';

  constructor({ to, whole }: Migration) {
    const back = 'svc migrate undo';
    super(
      whole
        ? `this ledger was migrated to ${to}: serve that copy. To abandon the copy permanently and serve this ledger again, run ${back}`
        : `svc migrate was interrupted while it copied this ledger to ${to}. If the copy is complete, serve it. Otherwise run svc migrate again, or run ${back} to serve this ledger`,
    );
  }
}

/** Whether an item of a dump is the migration mark. The mark belongs to the store, not to the copied ledger. */
export function isMark(key: string): boolean {
  return key === KEY;
}

export async function migrationOf(store: Pick<Store, 'readMeta'>): Promise<Migration | null> {
  const mark = (await store.readMeta(KEY)) ?? NONE;
  return mark === NONE ? null : (JSON.parse(mark) as Migration);
}

/** @throws {LedgerMigrated} */
export async function assertNotMigrated(store: Pick<Store, 'readMeta'>): Promise<void> {
  const migration = await migrationOf(store);
  if (migration !== null) throw new LedgerMigrated(migration);
}

/** Marks the store, so that no gateway serves it. Null removes the mark. */
export async function markMigrated(store: Meta, migration: Migration | null): Promise<void> {
  const before = await store.readMeta(KEY);
  if (before === null && migration === null) return;
  const written = await store.writeMeta(KEY, before, migration === null ? NONE : JSON.stringify(migration));
  if (!written) throw new Error('another process is migrating this ledger');
}

/** Removes the mark. @returns its content, or null if there was none */
export async function undoMigration(store: Meta): Promise<Migration | null> {
  const migration = await migrationOf(store);
  if (migration !== null) await markMigrated(store, null);
  return migration;
}
