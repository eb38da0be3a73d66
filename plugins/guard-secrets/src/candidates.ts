import type { Hit, Searching } from './detectors/detector.ts';

/** The hits of one search, from the current position on. */
interface Cursor {
  readonly search: Searching;
  hits: Iterator<Hit>;
  hit: Hit | null;
}

/** The hits of several searches in one text, from left to right. Skipped text is not searched, because one secret may look like thousands of hits. */
export class Candidates {
  readonly #text: string;
  readonly #cursors: readonly Cursor[];

  constructor(searches: readonly Searching[], text: string, from: number) {
    this.#text = text;
    this.#cursors = searches.map((search) => {
      const hits = search.hits(text, from);
      return { search, hits, hit: nextOf(hits) };
    });
  }

  /** The next hit that starts at `from` or later. If several start at the same place, that of the first search wins. */
  next(from: number): Hit | null {
    let candidate: Hit | null = null;
    let taken: Cursor | null = null;
    for (const cursor of this.#cursors) {
      if (cursor.hit !== null && cursor.hit.start < from) {
        cursor.hits = cursor.search.hits(this.#text, from);
        cursor.hit = nextOf(cursor.hits);
      }
      if (cursor.hit === null || (candidate !== null && cursor.hit.start >= candidate.start)) continue;
      candidate = cursor.hit;
      taken = cursor;
    }
    if (taken !== null) taken.hit = nextOf(taken.hits);
    return candidate;
  }
}

function nextOf(hits: Iterator<Hit>): Hit | null {
  const next = hits.next();
  return next.done ? null : next.value;
}
