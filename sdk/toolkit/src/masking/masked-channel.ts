import { Turns } from '@svc/contracts';
import type { Found } from './found.ts';
import { Overlaps } from './overlaps.ts';
import type { Search } from './search.ts';

/** Returns the replacement of a finding; null leaves it unchanged. Called once for each remaining finding, from left to right. */
export type Mask = (found: Found, value: string) => string | null;

/**
 * Whether the replacement of a finding depends on other texts that have not arrived. If so, the finding and the text after it are held back until the
 * end.
 */
export type Waits = (found: Found, value: string) => boolean;

/** How many findings are masked before yielding to the event loop. */
const AT_ONCE = 512;

const NONE: readonly Found[] = [];

/** Masks one streamed text. The result is the same however the text is split. Calls must not overlap. */
export class MaskedChannel {
  readonly #searches: readonly Search[];
  readonly #mask: Mask;
  readonly #waits: Waits;
  readonly #overlaps = new Overlaps();
  /** Findings of one search before which another search may still find something. */
  #early: readonly Found[] = [];
  /** Findings to mask, from `#next` on. */
  #due: Found[] = [];
  #next = 0;
  /** Text that has not been released. */
  #text = '';
  /** The offset of `#text` in the whole text. */
  #left = 0;
  readonly #turns: Turns;
  /** The value of a waiting finding. It is cached, because the held text grows and should not be sliced again for each piece. */
  #waitsFor: string | null = null;

  /** @param searches must be new, for this text only */
  constructor(searches: readonly Search[], mask: Mask, waits: Waits = () => false, turns: Turns = new Turns()) {
    this.#searches = searches;
    this.#mask = mask;
    this.#turns = turns;
    this.#waits = waits;
  }

  /** Code units currently held back. */
  get held(): number {
    return this.#text.length;
  }

  /** @returns text to release */
  push(text: string): string | Promise<string> {
    return this.#advance(text, false);
  }

  /** Ends the text. @returns the rest of it */
  end(): string | Promise<string> {
    return this.#advance('', true);
  }

  #advance(text: string, ended: boolean): string | Promise<string> {
    this.#text += text;
    let fresh: readonly Found[] = NONE;
    for (const [at, search] of this.#searches.entries()) {
      const found = search.advance(text, ended);
      if (found instanceof Promise) {
        const others = this.#searches.slice(at + 1).map((other) => other.advance(text, ended));
        return Promise.all([fresh, found, ...others]).then((later) => this.#release(later.flat(), ended));
      }
      if (found.length > 0) fresh = [...fresh, ...found];
    }
    return this.#release(fresh, ended);
  }

  #release(fresh: readonly Found[], ended: boolean): string | Promise<string> {
    const end = this.#left + this.#text.length;
    const certain = this.#searches.reduce((least, search) => Math.min(least, search.certain), end);
    if (fresh.length + this.#early.length + this.#due.length === 0 && this.#overlaps.isIdle)
      return this.#take(this.#whole(certain));
    const found = [...this.#early, ...fresh];
    this.#early = found.filter(({ start }) => start >= certain);
    const settled = this.#overlaps.settle(
      found.filter(({ start }) => start < certain),
      certain,
    );
    for (const finding of settled.found) this.#due.push(finding);
    // If there are many, they are masked in batches.
    return this.#due.length - this.#next > AT_ONCE
      ? this.#maskInTurns(settled.until, ended)
      : this.#maskDue(settled.until, ended, AT_ONCE);
  }

  async #maskInTurns(until: number, ended: boolean): Promise<string> {
    let released = '';
    for (let left = this.#due.length; ; left = this.#due.length - this.#next) {
      released += this.#maskDue(until, ended, AT_ONCE);
      // Nothing is left, or the rest must wait.
      if (this.#due.length === 0 || this.#due.length - this.#next === left) return released;
      if (this.#turns.isOver) await this.#turns.next();
    }
  }

  /** Masks at most `most` findings, and returns the text to release. */
  #maskDue(until: number, ended: boolean, most: number): string {
    let released = '';
    for (let n = 0; n < most; n++) {
      const due = this.#due[this.#next];
      if (due === undefined) break;
      const value = this.#waitsFor ?? this.#text.slice(due.start - this.#left, due.end - this.#left);
      if (!ended && this.#waits(due, value)) {
        this.#waitsFor = value;
        return released + this.#take(due.start);
      }
      this.#waitsFor = null;
      released += this.#take(due.start) + (this.#mask(due, value) ?? value);
      this.#take(due.end);
      this.#next += 1;
    }
    if (this.#next < this.#due.length) return released;
    this.#due = [];
    this.#next = 0;
    return released + this.#take(this.#whole(until));
  }

  /** Removes the text before `to` from the held text and returns it. */
  #take(to: number): string {
    const length = Math.max(0, to - this.#left);
    if (length === 0) return '';
    const text = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#left += length;
    return text;
  }

  /** The offset, or the one before it if it would split a surrogate pair. */
  #whole(offset: number): number {
    return (this.#text.codePointAt(offset - this.#left - 1) ?? 0) > 0xffff ? offset - 1 : offset;
  }
}
