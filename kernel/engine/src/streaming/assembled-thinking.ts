import { isObject, type ThinkingBlock } from '@svc/contracts';
import { GrowingText } from './growing-text.ts';

/**
 * Joins pieces of `thinking_blocks`, as LiteLLM streams them: text grows until a signature closes the block. A block that comes whole is one
 * piece.
 */
export class AssembledThinking {
  #open: GrowingText | null = null;

  /** @returns the blocks that are complete with this piece; what is no block of thinking as it is */
  take(pieces: unknown): unknown[] {
    return (Array.isArray(pieces) ? pieces : [pieces]).flatMap((piece: unknown) => this.#taken(piece));
  }

  /** The block that nothing closed. */
  end(): ThinkingBlock[] {
    const thinking = this.#open?.toString();
    this.#open = null;
    return thinking === undefined ? [] : [{ type: 'thinking', thinking }];
  }

  #taken(piece: unknown): unknown[] {
    if (!isObject(piece) || piece.type !== 'thinking' || (piece.thinking != null && typeof piece.thinking !== 'string'))
      return [...this.end(), piece];
    this.#open ??= new GrowingText();
    this.#open.push(piece.thinking ?? '');
    if (typeof piece.signature !== 'string' || piece.signature === '') return [];
    const thinking = this.#open.toString();
    this.#open = null;
    return [{ ...piece, thinking }];
  }
}
