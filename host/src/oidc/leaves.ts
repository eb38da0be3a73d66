import type { ContentKeys } from '@svc/runtime/content';

/**
 * A secret of 32 bytes, derived from the newest content key, and those derived from older ones. All processes have it, and the store does not. No run
 * has the leaf's name.
 */
export function leavesOf(
  name: string,
  { newest, older }: ContentKeys,
): { readonly newest: Buffer; readonly all: readonly Buffer[] } {
  const leaf = newest.keyFor(name);
  if (leaf === null) throw new Error('the content key lacks the secret for sessions: restore the complete content key');
  return { newest: leaf, all: [leaf, ...older.flatMap((tree) => tree.keyFor(name) ?? [])] };
}
