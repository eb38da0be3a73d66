import type { TokenUsage } from '@svc/sdk';
import { type AnswerFrame, type FrameEnding, objectsIn } from '@svc/sdk/protocol';
import { usageOf } from './facts.ts';
import { isText, partsIn } from './parts.ts';

/** Ends an answer early, after some of its frames were sent. */
export class Ending implements FrameEnding {
  #hasText = false;

  take({ candidates }: AnswerFrame): void {
    for (const { content } of objectsIn(candidates))
      this.#hasText ||= partsIn(content).some((part) => isText(part) && part.thought !== true && part.text !== '');
  }

  /** Clients concatenate texts, so this one starts a new paragraph. */
  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const parts = [{ text: this.#hasText ? `\n\n${text}` : text }];
    const finishReason = as === 'refusal' ? 'SAFETY' : 'STOP';
    yield { candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }], usageMetadata: usageOf(usage) };
  }
}
