import type { Finder } from './finder.ts';
import type { Found } from './found.ts';
import { Overlaps } from './overlaps.ts';

/** What stands in place of a finding; null leaves it as it is. Asked once for each finding that stands, from left to right. */
export type Mask = (found: Found, value: string) => string | null;

/** One text that comes in pieces, masked: for any pieces the releases together are the same. Calls come one at a time. */
export class MaskedChannel {
  readonly #finder: Finder;
  readonly #mask: Mask;
  readonly #overlaps = new Overlaps();
  /** What has not left, and before it what may still matter to that. */
  #text = '';
  /** Where `#text` begins in the whole. */
  #base = 0;
  /** Every finding that starts before this offset is known. */
  #known = 0;
  /** What stands before this offset has left. */
  #left = 0;

  constructor(finder: Finder, mask: Mask) {
    this.#finder = finder;
    this.#mask = mask;
  }

  /** Code units that are held back now. */
  get held(): number {
    return this.#end - this.#left;
  }

  /** @returns what may leave */
  push(text: string): string | Promise<string> {
    this.#text += text;
    // Nothing that starts further back than `reach` can still change.
    const from = this.#known - this.#base;
    const certain = Math.max(this.#base + this.#finder.openFrom(this.#text, from), this.#end - this.#finder.reach);
    return this.#advance(certain);
  }

  /** @returns the rest: the text has ended */
  end(): string | Promise<string> {
    return this.#advance(this.#end);
  }

  #advance(certain: number): string | Promise<string> {
    if (certain <= this.#known && certain < this.#end) return '';
    const found = this.#finder.find(this.#text, this.#known - this.#base);
    return found instanceof Promise ? found.then((later) => this.#release(later, certain)) : this.#release(found, certain);
  }

  #release(found: readonly Found[], certain: number): string {
    const base = this.#base;
    const fresh = found
      .map((finding) => ({ ...finding, start: finding.start + base, end: finding.end + base }))
      .filter(({ start }) => start >= this.#known && start < certain);
    const { found: stands, until } = this.#overlaps.settle(fresh, certain);
    this.#known = certain;
    let released = '';
    for (const finding of stands) {
      const value = this.#slice(finding.start, finding.end);
      released += this.#slice(this.#left, finding.start) + (this.#mask(finding, value) ?? value);
      this.#left = finding.end;
    }
    const to = this.#whole(until);
    if (to > this.#left) {
      released += this.#slice(this.#left, to);
      this.#left = to;
    }
    this.#forget();
    return released;
  }

  #forget(): void {
    const kept = Math.max(this.#base, Math.min(this.#left, this.#known - this.#finder.context));
    this.#text = this.#text.slice(kept - this.#base);
    this.#base = kept;
  }

  get #end(): number {
    return this.#base + this.#text.length;
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(from - this.#base, to - this.#base);
  }

  /** The offset itself, or the one before where it would halve a surrogate pair. */
  #whole(offset: number): number {
    const before = offset - this.#base - 1;
    return (this.#text.codePointAt(before) ?? 0) > 0xffff ? offset - 1 : offset;
  }
}
