import { isObject, type JsonObject, type JsonValue, parseExact } from '@svc/contracts';

/** A content block that grows by its deltas to what it is in a whole message. */
export class GrowingBlock {
  #block: JsonObject;
  #written = '';

  /** @param block as it began */
  constructor(block: JsonObject) {
    this.#block = { ...block };
  }

  take({ type, ...delta }: JsonObject): void {
    if (type === 'input_json_delta') this.#written += typeof delta.partial_json === 'string' ? delta.partial_json : '';
    else if (type === 'citations_delta') this.#cite(delta.citation);
    else for (const [name, value] of Object.entries(delta)) this.#grow(name, value);
  }

  /** Whether its input came in pieces. */
  get isWritten(): boolean {
    return this.#written !== '';
  }

  get value(): JsonObject {
    return this.isWritten ? { ...this.#block, input: inputOf(this.#written) } : this.#block;
  }

  /** Texts go on, anything else is new. */
  #grow(name: string, value: JsonValue): void {
    const before = this.#block[name];
    this.#block[name] = typeof value === 'string' && typeof before === 'string' ? before + value : value;
  }

  #cite(citation: JsonValue | undefined): void {
    const { citations } = this.#block;
    if (isObject(citation)) this.#block.citations = [...(Array.isArray(citations) ? citations : []), citation];
  }
}

/** What a model wrote may be no JSON, as where its answer ended early: then it is a text. */
function inputOf(written: string): JsonValue {
  try {
    return parseExact(written) as JsonValue;
  } catch {
    return written;
  }
}
