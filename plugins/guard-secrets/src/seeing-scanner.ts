import { VisibleText } from '@svc/toolkit/masking';
import type { Chosen } from './chosen.ts';
import { EndlessScanner, type Part } from './endless-scanner.ts';

/** An {@link EndlessScanner} that is shown only what can be seen of a text; its parts are those of the text as it was written. */
export class SeeingScanner {
  readonly #scanner: EndlessScanner;
  readonly #seen = new VisibleText();
  /** How much of what can be seen was told. */
  #told = 0;
  /** The written text that was not told, and where it begins in the whole. */
  #text = '';
  #base = 0;

  constructor(chosen: Chosen) {
    this.#scanner = new EndlessScanner(chosen);
  }

  /** As {@link EndlessScanner.advance}. */
  advance(text: string, ended: boolean): Part[] {
    this.#text += text;
    const parts: Part[] = [];
    for (const part of this.#scanner.advance(this.#seen.take(text), ended)) {
      switch (part.kind) {
        case 'text':
          this.#told += part.text.length;
          this.#tell(parts, this.#seen.written(this.#told));
          break;
        case 'begin': {
          this.#told = part.at;
          const at = this.#seen.written(part.at);
          this.#tell(parts, at);
          parts.push({ ...part, at });
          break;
        }
        case 'end': {
          this.#told = part.at;
          const at = this.#seen.writtenEnd(part.at);
          this.#drop(at);
          parts.push({ ...part, at });
          break;
        }
      }
    }
    if (ended) this.#tell(parts, this.#base + this.#text.length);
    this.#seen.forget(this.#told - 2);
    return parts;
  }

  #tell(parts: Part[], to: number): void {
    const told = this.#drop(to);
    if (told !== '') parts.push({ kind: 'text', text: told });
  }

  #drop(to: number): string {
    const length = Math.max(0, to - this.#base);
    const dropped = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    this.#base += length;
    return dropped;
  }
}
