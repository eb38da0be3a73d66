import type { Shape } from './shape.ts';

/** A secret in a text. `[start, end)` in UTF-16 code units: of a {@link Detector} that goes on, of what decided it. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** How sure, 0 to 1. */
  readonly score: number;
}

/** What one kind of secret looks like. */
export interface Detector {
  /** Names it in the options, in findings and in place of the secret. */
  readonly entity: string;
  /** What must stand before it, and is left as it is. */
  readonly before?: Shape;
  /** The secret; where it {@link continues}, enough of it to be sure. */
  readonly secret: Shape;
  /** Class of characters that may not stand right before. */
  readonly notAfter: string;
  /** Class of characters that may not follow. */
  readonly notBefore?: string;
  readonly anyCase?: boolean;
  /** Confidence that a value of this shape is a secret; 0 rejects it. Default: 1. */
  judge?(value: string): number;
  /** Where a secret ends that may be of any length. Absent: with its shape. */
  readonly continues?: Tail;
}

/**
 * Looks for the end of a secret in a text that may go on, from an offset inside the secret. `inside`: up to there it certainly goes.
 * `over`: and there it ends.
 */
export type Tail = (text: string, from: number, ended: boolean) => { readonly inside: number; readonly over: boolean };

/** A detector made ready: searches a text from any place, and sees no further than `context` before it and `reach` after it. */
export class Search {
  readonly detector: Detector;
  readonly context: number;
  /** From the beginning of what stands before to the character after it. */
  readonly reach: number;
  /** Length of the shortest secret. */
  readonly shortest: number;
  /** Whether there is no space in a secret. */
  readonly isSpaceless: boolean;
  /** Of its patterns. */
  readonly flags: string;
  readonly #whole: RegExp;

  constructor(detector: Detector) {
    const { before, secret, notAfter, notBefore, anyCase = false } = detector;
    this.detector = detector;
    this.context = (before?.longest ?? 0) + 1;
    this.reach = (before?.longest ?? 0) + secret.longest + 1;
    this.shortest = secret.shortest;
    const start = notAfter === '' ? '' : `(?<![${notAfter}])`;
    const end = notBefore === undefined ? '' : `(?![${notBefore}])`;
    this.flags = anyCase ? 'gi' : 'g';
    this.#whole = new RegExp(`${start}${before?.whole ?? ''}(${secret.whole})${end}`, this.flags);
    this.isSpaceless = !/ |\\s/.test(secret.begun);
  }

  /** The hits that start at `from` or after, from left to right; they may overlap. */
  *hits(text: string, from: number): Generator<Hit> {
    let at = Math.max(0, from - this.context + 1);
    for (;;) {
      this.#whole.lastIndex = at;
      const match = this.#whole.exec(text);
      if (match === null) return;
      at = match.index + 1;
      const value = match[1] ?? '';
      const end = match.index + match[0].length;
      const start = end - value.length;
      const score = start < from ? 0 : (this.detector.judge?.(value) ?? 1);
      if (score > 0) yield { start, end, score };
    }
  }

  /** Whether a hit starts right there. */
  isAt(text: string, start: number): boolean {
    const from = Math.max(0, start - this.context);
    const near = text.slice(from, start + this.reach);
    return [...this.hits(near, start - from)].some((hit) => hit.start === start - from);
  }
}
