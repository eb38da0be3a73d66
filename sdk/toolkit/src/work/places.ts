/** The part of a finding that lies in one segment. */
export interface Piece {
  readonly order: number;
  readonly start: number;
  readonly end: number;
}

/** A finding and its location: in one segment, or split over several. */
export interface Place {
  readonly entity_type: string;
  /** From 0 to 1. A placeholder of the run has 2. */
  readonly score: number;
  readonly pieces: readonly Piece[];
}

/** Places in a form for sending from a thread. 100,000 objects would block the event loop for 100 ms. */
export interface PackedPlaces {
  readonly names: readonly string[];
  /** For each piece: the index in `names`, the score, 1 if a place begins, the segment, start, end. */
  readonly rows: Float64Array;
}

const ROW = 6;
/** A maximum, so that a small text cannot take much memory. More places would exceed the guard's timeout anyway. */
export const MAX_PIECES = 1_000_000;
const MAX_SCORE = 2;

export function packPlaces(places: readonly Place[]): PackedPlaces {
  const count = places.reduce((sum, { pieces }) => sum + pieces.length, 0);
  if (count > MAX_PIECES) throw new RangeError('too many findings');
  const rows = new Float64Array(ROW * count);
  const names = new Map<string, number>();
  let at = 0;
  for (const { entity_type, score, pieces } of places) {
    const name = names.get(entity_type) ?? names.size;
    names.set(entity_type, name);
    for (const [n, { order, start, end }] of pieces.entries()) {
      rows.set([name, score, n === 0 ? 1 : 0, order, start, end], at);
      at += ROW;
    }
  }
  return { names: [...names.keys()], rows };
}

/** Unpacks places. Each is checked when it is read. `lengths`: the lengths of the segments. `known`: tests a name. */
export function* unpackPlaces(packed: unknown, lengths: readonly number[], known: (name: string) => boolean): Generator<Place> {
  const { names, rows } = checked(packed, known);
  let place: { entity_type: string; score: number; pieces: Piece[] } | null = null;
  for (let at = 0; at < rows.length; at += ROW) {
    const cell = (column: number): number => rows[at + column] ?? Number.NaN;
    const [entity_type, score, begins, order] = [names[cell(0)], cell(1), cell(2), cell(3)];
    const [start, end, length] = [cell(4), cell(5), lengths[order] ?? 0];
    const isPiece = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= length;
    if (entity_type === undefined || !isPiece || !(score >= 0 && score <= MAX_SCORE)) refuse();
    if (begins === 1) {
      if (place !== null) yield place;
      place = { entity_type, score, pieces: [{ order, start, end }] };
    } else if (begins === 0 && place !== null) place.pieces.push({ order, start, end });
    else refuse();
  }
  if (place !== null) yield place;
}

function checked(packed: unknown, known: (name: string) => boolean): PackedPlaces {
  if (typeof packed !== 'object' || packed === null || !('names' in packed) || !('rows' in packed)) return refuse();
  const { names, rows } = packed;
  if (!Array.isArray(names) || ![...names].every((name) => typeof name === 'string' && known(name))) return refuse();
  if (!(rows instanceof Float64Array) || rows.length % ROW !== 0) return refuse();
  return { names, rows };
}

/** Does not quote the reply, because it may contain text. */
export function refuse(): never {
  throw new Error('the worker thread did not return findings');
}
