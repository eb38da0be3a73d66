import type { AnswerFrame, ChatCompletionChunk, FrameEnding, TokenUsage } from '@svc/contracts';
import { chatUsage } from '../usage.ts';

/** Ends an answer of which some chunks have left: one chunk ends each choice that has begun. */
export class ChatEnding implements FrameEnding {
  /** Of which choices text has left. */
  readonly #heard = new Map<number, boolean>();

  take(frame: AnswerFrame): void {
    for (const { index, delta } of (frame as ChatCompletionChunk).choices) {
      const isHeard = typeof delta.content === 'string' && delta.content !== '';
      this.#heard.set(index, isHeard || this.#heard.get(index) === true);
    }
  }

  /** After sent text, the ending starts a new paragraph. */
  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const begun = this.#heard.size === 0 ? [[0, false] as const] : [...this.#heard];
    const choices = begun.map(([index, isHeard]) => {
      const said = isHeard && as === 'content' ? `\n\n${text}` : text;
      return { index, delta: { ...(isHeard ? {} : { content: '' }), [as]: said }, finish_reason: 'content_filter' };
    });
    yield { id: '', object: 'chat.completion.chunk', created: 0, model: '', choices, usage: chatUsage(usage) };
  }
}
