import type { Segment, SegmentKind, TextOrigin, Turns } from '@svc/contracts';

/** The fields of a segment that a search needs. Findings refer to it by its index in the list. */
export type SeenSegment = Pick<Segment, 'text' | 'kind' | 'role' | 'path' | 'is_thinking' | 'origin' | 'untrusted'>;

/** Strings joined into one, with the end of each. Copying 100,000 strings individually would block the event loop for 100 ms. */
interface PackedStrings {
  readonly all: string;
  readonly ends: Uint32Array;
}

interface Chunk {
  readonly texts: PackedStrings;
  readonly kinds: PackedStrings;
  readonly roles: PackedStrings;
  readonly paths: PackedStrings;
  readonly origins: PackedStrings;
}

/** Segments in a form for sending to a thread. */
export type PackedSegments = readonly Chunk[];

const CHUNK = 4096;

/** Thinking has the kind `text`, so it needs a kind of its own here. */
const THINKING = 'thinking';
/** Precedes the origin of an untrusted text. */
const UNTRUSTED = '!';

export async function packSegments(segments: readonly SeenSegment[], turns: Turns): Promise<PackedSegments> {
  const chunks: Chunk[] = [];
  for (let from = 0; from < segments.length; from += CHUNK) {
    const some = segments.slice(from, from + CHUNK);
    chunks.push({
      texts: packed(some.map(({ text }) => text)),
      kinds: packed(some.map(({ kind, is_thinking }) => (is_thinking === true ? THINKING : kind))),
      // A prefix distinguishes an empty role from a missing one.
      roles: packed(some.map(({ role }) => (role === null ? '' : `=${role}`))),
      paths: packed(some.map(({ path }) => path)),
      origins: packed(some.map(({ origin, untrusted }) => (untrusted ? UNTRUSTED + origin : origin))),
    });
    if (turns.isOver) await turns.next();
  }
  return chunks;
}

export function unpackSegments(chunks: PackedSegments): SeenSegment[] {
  return chunks.flatMap(({ texts, kinds, roles, paths, origins }) => {
    const [ownKinds, ownRoles, ownPaths, ownOrigins] = [kinds, roles, paths, origins].map(unpacked);
    return unpacked(texts).map((text, at) => {
      const role = ownRoles?.[at] ?? '';
      const kind = ownKinds?.[at] ?? 'text';
      const packedOrigin = ownOrigins?.[at] ?? `${UNTRUSTED}unknown`;
      const untrusted = packedOrigin.startsWith(UNTRUSTED);
      const origin = (untrusted ? packedOrigin.slice(1) : packedOrigin) as TextOrigin;
      const segment = { text, role: role === '' ? null : role.slice(1), path: ownPaths?.[at] ?? '', origin, untrusted };
      return kind === THINKING ? { ...segment, kind: 'text', is_thinking: true } : { ...segment, kind: kind as SegmentKind };
    });
  });
}

function packed(strings: readonly string[]): PackedStrings {
  let end = 0;
  const ends = Uint32Array.from(strings, ({ length }) => (end += length));
  return { all: strings.join(''), ends };
}

function unpacked({ all, ends }: PackedStrings): string[] {
  return Array.from(ends, (end, at) => all.slice(at === 0 ? 0 : ends[at - 1], end));
}
