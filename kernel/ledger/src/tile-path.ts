/**
 * Names and extents of the parts of a log in the format of https://c2sp.org/tlog-tiles: tiles of hashes, and bundles of entries. Runs in browsers too.
 */

/** Number of hashes in a full tile. */
export const TILE_WIDTH = 256;
/** A tile of the next level would have more leaves than a number can count exactly. */
const MAX_LEVEL = 5;

/** A tile of hashes, or (`entries`) a bundle of entries. Level 0 has the hashes of the leaves. */
export interface TilePlace {
  readonly level: number | 'entries';
  readonly index: number;
  /** Number of hashes or entries: {@link TILE_WIDTH}, or fewer in a partial one. */
  readonly width: number;
}

/** The path below the log's prefix, such as `tile/0/x001/234.p/17`. */
export function tilePath({ level, index, width }: TilePlace): string {
  const full = `tile/${level}/${pathOfIndex(index)}`;
  return width === TILE_WIDTH ? full : `${full}.p/${width}`;
}

/** The path of an index: groups of three digits, all but the last one after an `x`. */
function pathOfIndex(index: number): string {
  const last = String(index % 1000).padStart(3, '0');
  const rest = Math.floor(index / 1000);
  return rest === 0 ? last : `${prefixOf(rest)}/${last}`;
}

function prefixOf(index: number): string {
  const group = `x${String(index % 1000).padStart(3, '0')}`;
  const rest = Math.floor(index / 1000);
  return rest === 0 ? group : `${prefixOf(rest)}/${group}`;
}

const PATH = /^tile\/(entries|[0-9]{1,2})\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** Null for a path that is not in canonical form, or whose level or index is too large. */
export function parseTilePath(path: string): TilePlace | null {
  const [, named = '', digits = '', partial] = PATH.exec(path) ?? [];
  const level: TilePlace['level'] = named === 'entries' ? named : Number(named);
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  const place = { level, index: Number(digits.replace(/[x/]/g, '')), width };
  if (level !== 'entries' && level > MAX_LEVEL) return null;
  return tilePath(place) === path ? place : null;
}

/** Number of hashes or entries of this tile that a tree of `size` leaves has: from 0 to {@link TILE_WIDTH}. */
export function widthIn(size: number, level: TilePlace['level'], index: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}
