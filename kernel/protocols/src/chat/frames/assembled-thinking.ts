import { isObject, type JsonObject } from '@svc/contracts';
import { GrowingText } from '../../common/growing-text.ts';

/**
 * Joins pieces of `thinking_blocks`, as LiteLLM streams them: text grows until a signature closes the block. A block that comes whole is one
 * piece.
 */
export class AssembledThinking {
  #open: { readonly text: GrowingText; fields: JsonObject } | null = null;

  /** @returns the blocks that are complete with this piece; what is no block of thinking as it is */
  take(pieces: unknown): unknown[] {
    return (Array.isArray(pieces) ? pieces : [pieces]).flatMap((piece: unknown) => this.#taken(piece));
  }

  /** The block that nothing closed. */
  end(): JsonObject[] {
    if (this.#open === null) return [];
    const { fields, text } = this.#open;
    this.#open = null;
    return [{ ...fields, thinking: text.toString() }];
  }

  #taken(piece: unknown): unknown[] {
    if (!isObject(piece) || piece.type !== 'thinking' || (piece.thinking != null && typeof piece.thinking !== 'string'))
      return [...this.end(), piece];
    const { signature, ...fields } = piece;
    const isClosed = typeof signature === 'string' && signature !== '';
    const open = this.#open ?? { text: new GrowingText(), fields: {} };
    open.text.push(piece.thinking ?? '');
    open.fields = { ...open.fields, ...fields, ...(isClosed ? { signature } : {}) };
    this.#open = open;
    return isClosed ? this.end() : [];
  }
}
