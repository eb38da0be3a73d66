import type { Edit, JsonObject, Segment } from '@svc/sdk';
import { type Steps, slices } from '@svc/toolkit/work';
import { isByWords } from './entities.ts';

const WORD = /[\p{L}\p{M}][\p{L}\p{M}\p{N}'’-]*/gu;
/** A maximum, so that the state of a run stays small. It is the vocabulary of a novel. */
const MAX_WORDS = 20_000;

/**
 * Words that the caller wrote and this guard did not mask. If a restored answer repeats them, they are not masked there either: capitalised German
 * nouns beside a placeholder may look like a name. Kept in the node's state, which is content.
 */
export class CallerWords {
  readonly #state: JsonObject;
  readonly #words: Set<string>;

  constructor(state: JsonObject) {
    this.#state = state;
    this.#words = new Set(typeof state.words === 'string' && state.words !== '' ? state.words.split(' ') : []);
  }

  /** Adds the words of texts, except those that are masked. */
  *add(segments: readonly Segment[], edits: readonly Edit[]): Steps<void> {
    const masked = Map.groupBy(edits, ({ segment }) => segment);
    for (const { index, text } of segments) {
      let from = 0;
      for (const { start, end } of [
        ...(masked.get(index) ?? []).toSorted((a, b) => a.start - b.start),
        { start: text.length, end: text.length },
      ]) {
        yield* this.#addFrom(text.slice(from, start));
        from = end;
      }
    }
    this.#state.words = [...this.#words].join(' ');
  }

  /** Whether all words of a name are the caller's. */
  include(entity_type: string, value: string): boolean {
    if (!isByWords(entity_type) || this.#words.size === 0) return false;
    return (value.match(WORD) ?? ['']).every((word) => this.#words.has(word));
  }

  *#addFrom(text: string): Steps<void> {
    for (const slice of slices(text)) {
      for (const [word] of slice.matchAll(WORD)) if (this.#words.size < MAX_WORDS) this.#words.add(word);
      yield;
    }
  }
}
