import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { define } from '../../common/define.ts';
import { GrowingText } from '../../common/growing-text.ts';

/** Whether a block, or a piece of one, has text that may grow. Some upstreams send the type only with the first piece. */
export function isThinkingText(block: unknown): block is JsonObject {
  if (!isObject(block) || block.type === 'redacted_thinking') return false;
  return typeof block.thinking === 'string' || (block.type === 'thinking' && block.thinking == null);
}

/** Joins pieces of `thinking_blocks`, as LiteLLM streams them. Text grows until a signature completes the block. A whole block is a single piece. */
export class AssembledThinking {
  #open: { readonly text: GrowingText; readonly fields: JsonObject } | null = null;

  /** @returns the blocks that this piece completes. Anything other than a thinking block is returned unchanged. */
  take(pieces: unknown): unknown[] {
    return (Array.isArray(pieces) ? pieces : [pieces]).flatMap((piece: unknown) => this.#taken(piece));
  }

  /** Returns the block that was still incomplete when the stream ended. */
  end(): JsonObject[] {
    if (this.#open === null) return [];
    const { fields, text } = this.#open;
    this.#open = null;
    return [{ ...fields, thinking: text.toString() }];
  }

  #taken(piece: unknown): unknown[] {
    if (!isThinkingText(piece)) return [...this.end(), piece];
    const { signature, thinking, ...fields } = piece;
    const isClosed = typeof signature === 'string' && signature !== '';
    const open = this.#open ?? { text: new GrowingText(), fields: {} };
    if (typeof thinking === 'string') open.text.push(thinking);
    for (const [name, value] of Object.entries(fields)) define(open.fields, name, grown(open.fields[name], name, value));
    if (isClosed) open.fields.signature = signature;
    this.#open = open;
    return isClosed ? this.end() : [];
  }
}

function grown(before: JsonValue | undefined, name: string, value: JsonValue): JsonValue {
  const isText = typeof before === 'string' && typeof value === 'string' && name !== 'type' && name !== 'data';
  return isText ? before + value : value;
}
