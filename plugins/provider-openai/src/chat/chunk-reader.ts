import type { ChatCompletionChunk } from '@svc/sdk';
import { endedEarly, type Identity, malformed, type SseEvent } from '@svc/toolkit/upstream';
import { readChunk, StreamState } from './chunk.ts';

/** Tells from the chunks whether the answer is complete. */
class Progress {
  readonly #open = new Set<number>();
  #begun = false;

  see(chunk: ChatCompletionChunk): void {
    for (const { index, finish_reason } of chunk.choices) {
      this.#begun = true;
      if (finish_reason === null) this.#open.add(index);
      else this.#open.delete(index);
    }
  }

  /** For `[DONE]`: the upstream says that it is complete. */
  assertBegun(): void {
    if (!this.#begun) throw malformed('a stream without choices');
  }

  /** For a body that ended without `[DONE]`, as with some servers: every choice must have ended. */
  assertEnded(): void {
    if (!this.#begun || this.#open.size > 0) throw endedEarly();
  }
}

/** The chunks of a stream, in OpenAI's protocol. */
export async function* readChunks(
  events: AsyncIterable<SseEvent>,
  identity: Identity,
): AsyncGenerator<ChatCompletionChunk, void, void> {
  const progress = new Progress();
  const state = new StreamState();
  for await (const event of events) {
    if (event.data === '[DONE]') return progress.assertBegun();
    const chunk = readChunk(event, identity, state);
    progress.see(chunk);
    yield chunk;
  }
  progress.assertEnded();
}
