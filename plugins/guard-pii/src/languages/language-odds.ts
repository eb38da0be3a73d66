import type { Penalties } from './evidence.ts';
import { LANGUAGES, type Language } from './languages.ts';

/** A text says at most this much, so that a few words of another language count. */
const MOST = 24;

/** How likely a text is in each language, by its words so far. */
export class LanguageOdds {
  /** By how much the likeliest listed language is less likely than the likeliest other one. In the units of {@link Penalties}. */
  difference = 0;
  readonly #isListed: Uint8Array;
  /** How much speaks against each language. 0 for the likeliest. */
  readonly #against = new Int32Array(LANGUAGES.length);

  constructor(listed: readonly Language[]) {
    this.#isListed = Uint8Array.from(LANGUAGES, (language) => (listed.includes(language) ? 1 : 0));
  }

  add(penalties: Penalties): void {
    const against = this.#against;
    for (let at = 0; at < against.length; at++) against[at] = (against[at] ?? 0) + (penalties[at] ?? 0);
    this.limit(MOST);
  }

  /** Keeps at most this much against each language. */
  limit(most: number): void {
    const against = this.#against;
    let listed = Infinity;
    let other = Infinity;
    for (let at = 0; at < against.length; at++) {
      const sum = against[at] ?? 0;
      if (this.#isListed[at] === 1) listed = sum < listed ? sum : listed;
      else other = sum < other ? sum : other;
    }
    const least = listed < other ? listed : other;
    for (let at = 0; at < against.length; at++) {
      const sum = (against[at] ?? 0) - least;
      against[at] = sum < most ? sum : most;
    }
    this.difference = Math.max(-most, Math.min(most, listed - other));
  }
}
