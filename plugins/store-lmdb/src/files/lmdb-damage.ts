/** What LMDB says of a page that is not there, or not what it should be: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_INVALID. */
const DAMAGE: ReadonlySet<unknown> = new Set([-30797, -30796, -30793]);

/** Whether LMDB has met a damaged page, and lived. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGE.has(error.code);
}
