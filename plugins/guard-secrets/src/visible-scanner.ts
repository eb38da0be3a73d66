import { VisibleText } from '@svc/toolkit/masking';
import type { Chosen } from './chosen.ts';
import { EndlessScanner, type Part } from './endless-scanner.ts';

/** An {@link EndlessScanner} over the visible characters of a text. Its parts and offsets refer to the original text. */
export class VisibleScanner {
  readonly #scanner: EndlessScanner;
  readonly #visible = new VisibleText();
  /** Visible code units reported so far. */
  #reported = 0;
  /** The part of the original text that has not been reported, and its offset in the whole text. */
  #text = '';
  #base = 0;

  constructor(chosen: Chosen) {
    this.#scanner = new EndlessScanner(chosen);
  }

  /** As {@link EndlessScanner.advance}. */
  advance(text: string, ended: boolean): Part[] {
    this.#text += text;
    const parts: Part[] = [];
    for (const part of this.#scanner.advance(this.#visible.take(text), ended)) {
      switch (part.kind) {
        case 'text':
          this.#reported += part.text.length;
          this.#report(parts, this.#visible.written(this.#reported));
          break;
        case 'begin': {
          this.#reported = part.at;
          const at = this.#visible.written(part.at);
          this.#report(parts, at);
          parts.push({ ...part, at });
          break;
        }
        case 'end': {
          this.#reported = part.at;
          const at = this.#visible.writtenEnd(part.at);
          this.#drop(at);
          parts.push({ ...part, at });
          break;
        }
      }
    }
    if (ended) this.#report(parts, this.#base + this.#text.length);
    this.#visible.forget(this.#reported - 2);
    return parts;
  }

  #report(parts: Part[], to: number): void {
    const reported = this.#drop(to);
    if (reported !== '') parts.push({ kind: 'text', text: reported });
  }

  #drop(to: number): string {
    const length = Math.max(0, to - this.#base);
    const dropped = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#base += length;
    return dropped;
  }
}
