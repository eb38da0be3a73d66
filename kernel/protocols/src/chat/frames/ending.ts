import type { AnswerFrame, ChatCompletionChunk, FrameEnding, TokenUsage } from '@svc/contracts';
import { chatUsage } from '../usage.ts';

/** Ends a stream early, after some of its chunks were sent. Each choice that has begun gets a final chunk. */
export class ChatEnding implements FrameEnding {
  /** The choices that have begun, and whether any text of each was sent. */
  readonly #hasText = new Map<number, boolean>();

  take(frame: AnswerFrame): void {
    for (const { index, delta } of (frame as ChatCompletionChunk).choices) {
      const hasText = typeof delta.content === 'string' && delta.content !== '';
      this.#hasText.set(index, hasText || this.#hasText.get(index) === true);
    }
  }

  /** Starts a new paragraph if text was sent before. */
  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const begun = this.#hasText.size === 0 ? [[0, false] as const] : [...this.#hasText];
    const choices = begun.map(([index, hasText]) => {
      const said = hasText && as === 'content' ? `\n\n${text}` : text;
      return { index, delta: { ...(hasText ? {} : { content: '' }), [as]: said }, finish_reason: 'content_filter' };
    });
    yield { id: '', object: 'chat.completion.chunk', created: 0, model: '', choices, usage: chatUsage(usage) };
  }
}
