import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { GrowingBlock } from './growing-block.ts';

/** Assembles a message from its frames. */
export class MessageGatherer {
  #message: Record<string, unknown> = { type: 'message', role: 'assistant' };
  #usage: JsonObject = {};
  readonly #blocks = new Map<unknown, GrowingBlock>();

  take(frame: AnswerFrame): void {
    const { type, index, message, content_block, delta, usage, ...fields } = frame;
    if (type === 'message_start' && isObject(message)) {
      this.#message = { ...message };
      this.#count(message.usage);
    } else if (type === 'content_block_start' && isObject(content_block))
      this.#blocks.set(index, new GrowingBlock(content_block));
    else if (type === 'content_block_delta' && isObject(delta)) this.#blocks.get(index)?.take(delta);
    else if (type === 'message_delta') {
      Object.assign(this.#message, delta, fields);
      this.#count(usage);
    } else if (type === 'message_stop') Object.assign(this.#message, fields);
  }

  answer(): AnswerBody {
    return { ...this.#message, content: [...this.#blocks.values()].map(({ value }) => value), usage: this.#usage };
  }

  /** Counts are cumulative. A missing count has not changed. */
  #count(usage: unknown): void {
    if (isObject(usage)) for (const [name, count] of Object.entries(usage)) if (count !== null) this.#usage[name] = count;
  }
}
