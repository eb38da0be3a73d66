import type { ChatCompletionChunk } from '@svc/sdk';
import { type EventReader, endedEarly, type Identity, malformed, type SseEvent } from '@svc/toolkit/upstream';
import { readChunk, StreamState } from './chunk.ts';

/** Reads the chunks of a stream in OpenAI's format. */
export class ChunkReader implements EventReader {
  readonly #identity: Identity;
  readonly #state = new StreamState();
  /** Choices that have begun but not ended. */
  readonly #open = new Set<number>();
  #hasBegun = false;
  isEnded = false;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  take(event: SseEvent): readonly ChatCompletionChunk[] {
    if (event.data === '[DONE]') {
      if (!this.#hasBegun) throw malformed('a stream without choices');
      this.isEnded = true;
      return [];
    }
    const chunk = readChunk(event, this.#identity, this.#state);
    if (chunk === null) return [];
    for (const { index, finish_reason } of chunk.choices) {
      this.#hasBegun = true;
      if (finish_reason === null) this.#open.add(index);
      else this.#open.delete(index);
    }
    return [chunk];
  }

  /** Some servers omit `[DONE]`, so the stream is also complete when every choice has ended. */
  end(): void {
    if (!this.#hasBegun || this.#open.size > 0) throw endedEarly();
  }
}
