import type { AnswerFrame, ChatCompletionChunk, FrameEnding, TokenUsage } from '@svc/contracts';
import { chatUsage } from '../usage.ts';

/** Ends a stream early, after some chunks have been sent. Each choice that has begun gets a final chunk. */
export class ChatEnding implements FrameEnding {
  /** The choices that have begun, and whether text of each has been sent. */
  readonly #heard = new Map<number, boolean>();

  take(frame: AnswerFrame): void {
    for (const { index, delta } of (frame as ChatCompletionChunk).choices) {
      const isHeard = typeof delta.content === 'string' && delta.content !== '';
      this.#heard.set(index, isHeard || this.#heard.get(index) === true);
    }
  }

  /** Starts a new paragraph if text has been sent. */
  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const begun = this.#heard.size === 0 ? [[0, false] as const] : [...this.#heard];
    const choices = begun.map(([index, isHeard]) => {
      const said = isHeard && as === 'content' ? `\n\n${text}` : text;
      return { index, delta: { ...(isHeard ? {} : { content: '' }), [as]: said }, finish_reason: 'content_filter' };
    });
    yield { id: '', object: 'chat.completion.chunk', created: 0, model: '', choices, usage: chatUsage(usage) };
  }
}
