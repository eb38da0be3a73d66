/** LMDB's errors for a missing or damaged page: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_INVALID. */
const DAMAGE: ReadonlySet<unknown> = new Set([-30797, -30796, -30793]);

/** Whether LMDB has reported a damaged page. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGE.has(error.code);
}
