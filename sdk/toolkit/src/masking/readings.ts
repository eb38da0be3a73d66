import type { Segment } from '@svc/contracts';

/** A segment's text, read after its key. */
export interface Reading {
  readonly text: string;
  /** How many code units come before the segment's own text. */
  readonly before: number;
}

/**
 * Puts the key before each value, as in `password: …`. This is needed because in tool-call arguments the key is a segment of its own. An item of a
 * list gets the list's key.
 * @param spell writes a key in the form for the search
 */
export function readings(
  segments: readonly Pick<Segment, 'text' | 'kind' | 'path'>[],
  spell: (key: string) => string = (key) => key,
): Reading[] {
  const keys = new Map(segments.flatMap(({ kind, path, text }) => (kind === 'key' ? [[path, text] as const] : [])));
  return segments.map(({ kind, path, text }) => {
    const key = kind === 'key' || keys.size === 0 ? undefined : keyOf(path, keys);
    if (key === undefined) return { text, before: 0 };
    const before = `${spell(key)}: `;
    return { text: before + text, before: before.length };
  });
}

/** The key of the value, or of its nearest parent that has one. */
function keyOf(path: string, keys: ReadonlyMap<string, string>): string | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const key = keys.get(at);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Converts a finding in a reading to offsets in the segment's own text. Null if the finding is entirely before that text. */
export function inOwnText<F extends { readonly start: number; readonly end: number }>(found: F, { before }: Reading): F | null {
  if (found.end <= before) return null;
  return { ...found, start: Math.max(0, found.start - before), end: found.end - before };
}
