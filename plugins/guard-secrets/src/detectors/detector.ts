import type { Shape } from './shape.ts';

/** A secret in a text, `[start, end)` in UTF-16 code units. If the detector {@link continues}, `end` is where the secret was certain. */
export interface Hit {
  readonly detector: Detector;
  readonly start: number;
  readonly end: number;
  /** Confidence, from 0 to 1. */
  readonly score: number;
}

/** The form of one kind of secret. */
export interface Detector {
  /** The kind's name in options, findings and replacements. */
  readonly entity: string;
  /** Text that must precede the secret. It is not masked. */
  readonly before?: Shape;
  /** The form of the secret. If it {@link continues}, the form of the part that makes it certain. */
  readonly secret: Shape;
  /** Class of characters that must not precede it. */
  readonly notAfter: string;
  /** Text that must not precede it, nor the text before it. */
  readonly notAfterText?: Shape;
  /** Class of characters that must not follow it. */
  readonly notBefore?: string;
  readonly anyCase?: boolean;
  /** Every secret, with the text before it, contains one of these. Texts without them are not searched. Absent if there is no such text. */
  readonly contains?: readonly string[];
  /** Confidence that a value of this shape is a secret; 0 rejects it. Default: 1. `next`: the character after it, if there is one. */
  judge?(value: string, next: string): number;
  /** Finds the end of a secret of any length. Absent if the secret ends with its shape. */
  readonly continues?: Tail;
}

/**
 * Looks for the end of a secret, from an offset inside it, in a text that may continue. `inside`: the secret extends at least to here. `over`: the
 * secret ends here.
 */
export type Tail = (text: string, from: number, ended: boolean) => { readonly inside: number; readonly over: boolean };

/** Something that finds secrets in a text. */
export interface Searching {
  /** The hits that start at `from` or later, from left to right. They may overlap. */
  hits(text: string, from: number): Generator<Hit>;
}

/** A search that rules out texts by itself. */
export interface QuickSearch extends Searching {
  /** As of {@link Search}. */
  readonly context: number;
  readonly reach: number;
  /** Whether there may be a hit at `from` or later. */
  isLikely(text: string, from: number): boolean;
  /** Where a secret begins that more text could complete, but not before `from`. The text's length if there is none. */
  openFrom(text: string, from: number): number;
}

/** A compiled detector. It can search a text from any position. A hit depends on at most `context` code units before it and `reach` after it. */
export class Search implements Searching {
  readonly detector: Detector;
  readonly context: number;
  /** From the start of the preceding text to the character after the secret. */
  readonly reach: number;
  /** Length of the shortest secret. */
  readonly shortest: number;
  /** Whether the secret contains no space. */
  readonly isSpaceless: boolean;
  readonly flags: string;
  /** Source of a regular expression for what must not precede it. */
  readonly start: string;
  readonly #whole: RegExp;
  readonly #here: RegExp;

  constructor(detector: Detector) {
    const { before, secret, notAfter, notAfterText, notBefore, anyCase = false } = detector;
    this.detector = detector;
    this.context = (before?.longest ?? 0) + Math.max(1, notAfterText?.longest ?? 0);
    this.reach = (before?.longest ?? 0) + secret.longest + 1;
    this.shortest = secret.shortest;
    this.start = (notAfter === '' ? '' : `(?<![${notAfter}])`) + (notAfterText === undefined ? '' : `(?<!${notAfterText.whole})`);
    const end = notBefore === undefined ? '' : `(?![${notBefore}])`;
    this.flags = anyCase ? 'gi' : 'g';
    this.#whole = new RegExp(`${this.start}${before?.whole ?? ''}(${secret.whole})${end}`, this.flags);
    this.#here = new RegExp(this.#whole.source, this.flags.replace('g', 'y'));
    this.isSpaceless = !/ |\\s/.test(secret.begun);
  }

  /** The hits that start at `from` or later, from left to right. They may overlap. */
  *hits(text: string, from: number): Generator<Hit> {
    let at = Math.max(0, from - this.context + 1);
    for (;;) {
      this.#whole.lastIndex = at;
      const match = this.#whole.exec(text);
      if (match === null) return;
      at = match.index + 1;
      const hit = this.#hitOf(match, text, from);
      if (hit !== null) yield hit;
    }
  }

  /** The hit whose preceding text begins at this offset, if it starts at `from` or later. */
  hitAt(text: string, at: number, from: number): Hit | null {
    this.#here.lastIndex = at;
    const match = this.#here.exec(text);
    return match === null ? null : this.#hitOf(match, text, from);
  }

  /** Whether a text may contain a hit at `from` or later, by what the detector {@link Detector.contains}. */
  mayContain(text: string, from: number): boolean {
    const { contains } = this.detector;
    return contains === undefined || contains.some((part) => text.includes(part, Math.max(0, from - this.context)));
  }

  #hitOf(match: RegExpExecArray, text: string, from: number): Hit | null {
    const value = match[1] ?? '';
    const end = match.index + match[0].length;
    const start = end - value.length;
    const score = start < from ? 0 : (this.detector.judge?.(value, text.charAt(end)) ?? 1);
    return score > 0 ? { detector: this.detector, start, end, score } : null;
  }

  /** Whether a hit starts at this offset. */
  isAt(text: string, start: number): boolean {
    const from = Math.max(0, start - this.context);
    const near = text.slice(from, start + this.reach);
    return [...this.hits(near, start - from)].some((hit) => hit.start === start - from);
  }
}
