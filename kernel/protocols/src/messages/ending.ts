import { type AnswerFrame, type FrameEnding, isObject, type TokenUsage } from '@svc/contracts';
import { numberIn } from '../common/json-shapes.ts';

/** Ends a message early, after some of its frames were sent. */
export class MessageEnding implements FrameEnding {
  #open: unknown = null;
  #blocks = 0;
  /** Whether any text was sent. If so, the ending starts a new paragraph. */
  #hasText = false;

  take({ type, index, delta }: AnswerFrame): void {
    if (type === 'content_block_start') {
      this.#open = index;
      this.#blocks = Math.max(this.#blocks, numberIn(index) + 1);
    } else if (type === 'content_block_stop') this.#open = null;
    else if (isObject(delta) && delta.type === 'text_delta') this.#hasText = true;
  }

  /** Always sends the text as a block as well, because clients show a refusal in their own vendor's words. */
  *frames(text: string, as: 'content' | 'refusal', { output_tokens }: TokenUsage): Generator<AnswerFrame> {
    if (this.#open !== null) yield { type: 'content_block_stop', index: this.#open };
    const index = this.#blocks;
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: this.#hasText ? `\n\n${text}` : text } };
    yield { type: 'content_block_stop', index };
    const stop_details = as === 'refusal' ? { type: 'refusal', category: null, explanation: text } : null;
    yield {
      type: 'message_delta',
      delta: { stop_reason: as === 'refusal' ? 'refusal' : 'end_turn', stop_sequence: null, stop_details },
      usage: { output_tokens },
    };
    yield { type: 'message_stop' };
  }
}
