import { Candidates } from './candidates.ts';
import type { Chosen } from './chosen.ts';
import type { Detector, Hit } from './detectors/detector.ts';

/**
 * Part of a scanned text: text without an endless secret, or the start or end of such a secret. Offsets count from the start of the text.
 */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'begin'; readonly entity: string; readonly at: number; readonly score: number }
  | { readonly kind: 'end'; readonly at: number };

/**
 * Removes secrets of any length from a text that may be streamed. A finding of the SDK must fit into the text that a stream holds back, and a private
 * key does not. So when a few characters make a secret certain, the rest is dropped as it arrives.
 */
export class EndlessScanner {
  readonly #chosen: Chosen;
  readonly #context: number;
  #text = '';
  /** The offset of `#text` in the whole text. */
  #base = 0;
  /** Text before this offset of `#text` has been reported. */
  #at = 0;
  #inside: Detector | null = null;

  constructor(chosen: Chosen) {
    this.#chosen = chosen;
    this.#context = Math.max(chosen.endless.context, chosen.exact.context);
  }

  /** Takes the next part of the text. `ended`: whether it is the last part. */
  advance(text: string, ended: boolean): Part[] {
    this.#text += text;
    const parts: Part[] = [];
    while (this.#step(parts, ended));
    const kept = Math.max(0, this.#at - this.#context);
    this.#text = this.#text.slice(kept);
    this.#base += kept;
    this.#at -= kept;
    return parts;
  }

  /** @returns whether there is more to report */
  #step(parts: Part[], ended: boolean): boolean {
    if (this.#inside !== null && !this.#leave(this.#inside, parts, ended)) return false;
    const searches = this.#chosen.endless;
    const plain = ended ? null : searches.plainOpenFrom(this.#text, this.#at);
    if (plain !== null) {
      this.#report(parts, plain);
      return false;
    }
    const open = ended ? this.#text.length : searches.openFrom(this.#text, this.#at);
    const candidates = new Candidates(open > this.#at ? searches.likely(this.#text, this.#at) : [], this.#text, this.#at);
    for (let candidate = candidates.next(this.#at); candidate !== null; candidate = candidates.next(this.#at)) {
      if (candidate.start >= open) break;
      const is = this.#judged(candidate, ended);
      if (is === 'allowed') continue;
      this.#report(parts, candidate.start);
      if (is === 'open') return false;
      const { entity } = candidate.detector;
      parts.push({ kind: 'begin', entity, at: this.#base + candidate.start, score: candidate.score });
      this.#at = candidate.end;
      this.#inside = candidate.detector;
      if (!this.#leave(candidate.detector, parts, ended)) return false;
      // Text after the secret may not have been searched yet.
      if (this.#at > open) return true;
    }
    this.#report(parts, open);
    return false;
  }

  /** Judges a candidate. `open`: this depends on text that has not arrived yet. */
  #judged({ start, end, detector, score }: Hit, ended: boolean): 'secret' | 'allowed' | 'open' {
    // A less certain secret gives way to one that is recognised by its form.
    if (score < 0.9 && this.#chosen.exact.all.some((exact) => exact.isAt(this.#text, start))) return 'allowed';
    for (const value of this.#chosen.allowed) {
      const known = this.#text.slice(start, start + value.length);
      if (!value.startsWith(known)) continue;
      const tail = detector.continues?.(this.#text, end, ended) ?? { inside: end, over: true };
      if (!tail.over) return 'open';
      if (tail.inside === start + value.length) return 'allowed';
    }
    return 'secret';
  }

  /** @returns whether the secret's end was found */
  #leave(detector: Detector, parts: Part[], ended: boolean): boolean {
    const { inside, over } = detector.continues?.(this.#text, this.#at, ended) ?? { inside: this.#at, over: true };
    this.#at = inside;
    if (!over) return false;
    parts.push({ kind: 'end', at: this.#base + inside });
    this.#inside = null;
    return true;
  }

  #report(parts: Part[], to: number): void {
    if (to > this.#at) parts.push({ kind: 'text', text: this.#text.slice(this.#at, to) });
    this.#at = Math.max(this.#at, to);
  }
}
