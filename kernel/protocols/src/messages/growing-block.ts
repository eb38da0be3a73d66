import { isObject, type JsonObject, type JsonValue, parseExact } from '@svc/contracts';

/** A content block that grows with its deltas. */
export class GrowingBlock {
  readonly #block: JsonObject;
  #written = '';

  /** @param block the block from `content_block_start` */
  constructor(block: JsonObject) {
    this.#block = { ...block };
  }

  take({ type, ...delta }: JsonObject): void {
    const { partial_json, citation, ...fields } = delta;
    if (type === 'input_json_delta' && typeof partial_json === 'string') {
      this.#written += partial_json;
      this.#growAll(fields);
    } else if (type === 'citations_delta' && isObject(citation)) {
      this.#cite(citation);
      this.#growAll(fields);
    } else this.#growAll(delta);
  }

  /** The input received in pieces. Empty if the block started with its input. */
  get written(): string {
    return this.#written;
  }

  get value(): JsonObject {
    return this.#written === '' ? this.#block : { ...this.#block, input: inputOf(this.#written) };
  }

  #growAll(delta: JsonObject): void {
    for (const [name, value] of Object.entries(delta)) this.#grow(name, value);
  }

  /** Appends to texts, and replaces other values. An upstream may name a field `__proto__`. */
  #grow(name: string, piece: JsonValue): void {
    const before = Object.hasOwn(this.#block, name) ? this.#block[name] : undefined;
    const value = typeof piece === 'string' && typeof before === 'string' ? before + piece : piece;
    Object.defineProperty(this.#block, name, { value, writable: true, enumerable: true, configurable: true });
  }

  #cite(citation: JsonObject): void {
    const { citations } = this.#block;
    this.#block.citations = [...(Array.isArray(citations) ? citations : []), citation];
  }
}

/** Invalid JSON is kept as text. A model may write it, for example when its answer is cut off. */
function inputOf(written: string): JsonValue {
  try {
    return parseExact(written) as JsonValue;
  } catch {
    return written;
  }
}
