import type { TokenUsage } from '@svc/sdk';
import { type AnswerFrame, type FrameEnding, objectsIn } from '@svc/sdk/protocol';
import { usageOf } from './facts.ts';
import { isText, partsIn } from './parts.ts';

/** Ends an answer of which some frames have left. */
export class Ending implements FrameEnding {
  #hasText = false;

  take({ candidates }: AnswerFrame): void {
    for (const { content } of objectsIn(candidates))
      this.#hasText ||= partsIn(content).some((part) => isText(part) && part.thought !== true && part.text !== '');
  }

  /** Readers join all texts: this one is a paragraph of its own. */
  *frames(text: string, as: 'content' | 'refusal', usage: TokenUsage): Generator<AnswerFrame> {
    const parts = [{ text: this.#hasText ? `\n\n${text}` : text }];
    const finishReason = as === 'refusal' ? 'SAFETY' : 'STOP';
    yield { candidates: [{ content: { parts, role: 'model' }, finishReason, index: 0 }], usageMetadata: usageOf(usage) };
  }
}
