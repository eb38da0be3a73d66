import type { ChatChunkChoice, ChatCompletionChunk, JsonObject } from '@svc/sdk';
import { endedEarly, type Identity, isCount, isObject, malformed, type SseEvent } from '@svc/toolkit/upstream';
import { readEvent } from './event.ts';
import { finishReason } from './finish-reason.ts';
import { identify } from './identity.ts';
import { StreamedBlocks } from './streamed-blocks.ts';
import { usageOf } from './usage.ts';

/** Reads the events of one message, in order. */
class MessageReader {
  #head: Identity;
  #started = false;
  /** Usage of `message_start`: complete for the input, almost nothing of the output. */
  #begun: JsonObject = {};
  #usage: JsonObject = {};
  #stop_reason: unknown = null;
  readonly #blocks = new StreamedBlocks();

  constructor(identity: Identity) {
    this.#head = identity;
  }

  /** The chunks for an event. Unknown events, and `ping`, add nothing. */
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
    // Usage is in the first chunk, since it is all that is known if the stream is cut.
    return this.#deltas([{ role: 'assistant' }]).map((chunk) => ({ ...chunk, ...(usage !== undefined && { usage }) }));
  }

  /** Counts are cumulative, so the last one is right. An absent count has not changed. */
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
    // Without a valid final count, the first one must not be used: without usage, the gateway counts by itself.
    const usage = usageOf(this.#usage) ?? usageOf({ ...this.#begun, output_tokens: 0 });
    return usage === undefined ? [last] : [last, { ...this.#chunk([]), usage }];
  }
}

/** The chunks of a streamed message. It is complete only with `message_stop`. */
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
