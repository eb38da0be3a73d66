import type { ChatChunkChoice, ChatCompletionChunk, JsonObject } from '@svc/sdk';
import { endedEarly, type Identity, isCount, isObject, malformed, type SseEvent } from '@svc/toolkit/upstream';
import { readEvent } from './event.ts';
import { finishReason } from './finish-reason.ts';
import { identify } from './identity.ts';
import { StreamedBlocks } from './streamed-blocks.ts';
import { usageOf } from './usage.ts';

/** Reads the events of one message, one after another. */
class MessageReader {
  #head: Identity;
  #started = false;
  /** As the message began: what it read, and next to nothing of what it wrote. */
  #begun: JsonObject = {};
  #usage: JsonObject = {};
  #stop_reason: unknown = null;
  readonly #blocks = new StreamedBlocks();

  constructor(identity: Identity) {
    this.#head = identity;
  }

  /** What this event adds to the answer. Events that are not known, `ping` among them, add nothing. */
  chunksOf(event: JsonObject): ChatCompletionChunk[] {
    switch (event.type) {
      case 'message_start':
        return this.#start(event.message);
      case 'content_block_start':
        return this.#deltas(this.#blocks.start(this.#indexOf(event), event.content_block));
      case 'content_block_delta':
        return this.#deltas(this.#blocks.grow(this.#indexOf(event), event.delta));
      case 'content_block_stop':
        return this.#deltas(this.#blocks.stop(this.#indexOf(event)));
      case 'message_delta':
        if (isObject(event.delta)) this.#stop_reason = event.delta.stop_reason ?? this.#stop_reason;
        this.#count(event.usage);
        return [];
      case 'message_stop':
        return this.#end();
      default:
        return [];
    }
  }

  #chunk(choices: ChatChunkChoice[]): ChatCompletionChunk {
    return { ...this.#head, object: 'chat.completion.chunk', choices };
  }

  #deltas(deltas: ChatChunkChoice['delta'][]): ChatCompletionChunk[] {
    return deltas.map((delta) => this.#chunk([{ index: 0, delta, finish_reason: null }]));
  }

  #start(message: unknown): ChatCompletionChunk[] {
    if (!isObject(message) || this.#started) throw malformed('not the start of a message');
    this.#started = true;
    const { id, created, model } = identify(message, this.#head);
    this.#head = { id: id.toWellFormed(), created, model: model.toWellFormed() };
    this.#count(message.usage);
    this.#begun = { ...this.#usage };
    const usage = usageOf(this.#begun);
    // With the first chunk: it is all that is known of a stream that is cut.
    return this.#deltas([{ role: 'assistant' }]).map((chunk) => ({ ...chunk, ...(usage !== undefined && { usage }) }));
  }

  /** Counts are of the whole message so far, so the last one holds; one that is left out has not changed. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [name, count] of Object.entries(usage)) if (count !== null) this.#usage[name] = count;
  }

  #indexOf({ index }: JsonObject): number {
    if (!this.#started || !isCount(index)) throw malformed('a block outside of a message');
    return index;
  }

  #end(): ChatCompletionChunk[] {
    if (!this.#started) throw malformed('the end of no message');
    const last = this.#chunk([{ index: 0, delta: {}, finish_reason: finishReason(this.#stop_reason) }]);
    // Without a figure that makes sense the one from the beginning must not hold: with none written the gateway counts that for itself.
    const usage = usageOf(this.#usage) ?? usageOf({ ...this.#begun, output_tokens: 0 });
    return usage === undefined ? [last] : [last, { ...this.#chunk([]), usage }];
  }
}

/** The chunks of a streamed message. It is whole with `message_stop` and not before. */
export async function* readChunks(
  events: AsyncIterable<SseEvent>,
  identity: Identity,
): AsyncGenerator<ChatCompletionChunk, void, void> {
  const reader = new MessageReader(identity);
  for await (const event of events) {
    const read = readEvent(event);
    yield* reader.chunksOf(read);
    if (read.type === 'message_stop') return;
  }
  throw endedEarly();
}
