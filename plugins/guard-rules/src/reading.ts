import type { Search } from '@svc/sdk/matching';
import type { CompiledRule } from './compile.ts';
import { type Hit, mergedEdits, type TextEdit } from './edits.ts';
import type { Turns } from './turns.ts';

/** One text under all rules, whole or still coming. What it finds is counted in `counts`, by rule. */
export class Reading {
  /** All edits that start before this offset are made. */
  settled = 0;
  readonly #searches: readonly { readonly rule: CompiledRule; readonly search: Search }[];
  readonly #counts: number[];
  #length = 0;
  /** Found, but something that comes before it might still be. */
  #hits: Hit[] = [];
  #edited = 0;

  constructor(rules: readonly CompiledRule[], counts: number[]) {
    this.#searches = rules.map((rule) => ({ rule, search: rule.matcher.search() }));
    this.#counts = counts;
  }

  /** Takes what comes next of the text. Answers with the edits that are now certain, offsets counted from the text's beginning. */
  async advance(text: string, ended: boolean, turns: Turns): Promise<TextEdit[]> {
    this.#length += text.length;
    for (const [order, { rule, search }] of this.#searches.entries()) {
      for (const span of search.advance(text, ended)) {
        if (span !== null) {
          this.#counts[order] = (this.#counts[order] ?? 0) + 1;
          if (rule.replacement !== null) this.#hits.push({ ...span, order, replacement: rule.replacement });
        }
        if (turns.over()) await turns.next();
      }
      if (turns.over()) await turns.next();
    }
    const settled = ended ? this.#length : Math.min(...this.#searches.map(({ search }) => search.at));
    return settled > this.settled ? this.#settle(settled) : [];
  }

  #settle(settled: number): TextEdit[] {
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
