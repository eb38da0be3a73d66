import { ProviderError } from '@svc/contracts';
import { sizeOf } from './size-of.ts';
import type { ChunkFields } from './stream-strategy.ts';

/** Citations of a long answer have some ten thousand characters. */
const MAX_SIZE = 262_144;

/** The newest value of each field of the chunks beside their choices, held until it can be sent. Each chunk may bring other fields. */
export class HeldFields {
  readonly #fields = new Map<string, { readonly value: unknown; readonly size: number }>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#fields.size === 0;
  }

  /** @throws {ProviderError} `malformed` if it is more than may be held */
  hold(fields: ChunkFields): void {
    for (const [name, value] of Object.entries(fields)) {
      const size = name.length + sizeOf(value);
      this.#size += size - (this.#fields.get(name)?.size ?? 0);
      this.#fields.set(name, { value, size });
    }
    if (this.#size > MAX_SIZE) throw new ProviderError('malformed');
  }

  all(): ChunkFields {
    return Object.fromEntries([...this.#fields].map(([name, { value }]) => [name, value]));
  }

  clear(): void {
    this.#fields.clear();
    this.#size = 0;
  }
}
