import type { Search } from '@svc/toolkit/matching';
import { MAX_PIECES, type Steps } from '@svc/toolkit/work';
import type { CompiledRule } from './compile.ts';
import { type Hit, mergedEdits } from './edits.ts';

/** One text, whole or streamed, as all rules check it. Matches are counted in `counts`, by rule. */
export class Reading {
  /** All edits that start before this offset have been returned. */
  settled = 0;
  readonly #searches: readonly { readonly rule: CompiledRule; readonly order: number; readonly search: Search }[];
  readonly #counts: number[];
  #length = 0;
  /** Hits at or after `settled`. Earlier ones may still be found. */
  #hits: Hit[] = [];
  #edited = 0;

  /** @param asks selects the rules */
  constructor(rules: readonly CompiledRule[], counts: number[], asks: (rule: CompiledRule) => boolean = () => true) {
    this.#searches = rules.flatMap((rule, order) => (asks(rule) ? [{ rule, order, search: rule.matcher.search() }] : []));
    this.#counts = counts;
  }

  /** Takes the next part of the text. Returns the edits that are certain by now, with offsets from the start of the text. */
  *advance(text: string, ended: boolean): Steps<Hit[]> {
    this.#length += text.length;
    for (const { rule, order, search } of this.#searches) {
      const spans = search.advance(text, ended);
      if (Array.isArray(spans) && spans.length === 0) continue;
      for (const span of spans) {
        if (span !== null) {
          this.#counts[order] = (this.#counts[order] ?? 0) + 1;
          // Limits the memory of the thread.
          if (this.#hits.length >= MAX_PIECES) throw new RangeError('too many findings');
          if (rule.replacement !== null) this.#hits.push({ ...span, order, replacement: rule.replacement });
        }
        yield;
      }
      yield;
    }
    const settled = ended ? this.#length : this.#searches.reduce((least, { search }) => Math.min(least, search.at), this.#length);
    return settled > this.settled ? this.#settle(settled) : [];
  }

  #settle(settled: number): Hit[] {
    if (this.#hits.length === 0) {
      this.settled = settled;
      return [];
    }
    const hits = this.#hits.filter(({ start }) => start < settled);
    this.#hits = this.#hits.filter(({ start }) => start >= settled);
    const edits = mergedEdits(
      hits.map((hit) => ({ ...hit, end: Math.min(hit.end, this.#length) })),
      this.#edited,
    );
    this.settled = settled;
    this.#edited = edits.at(-1)?.end ?? this.#edited;
    return edits;
  }
}
