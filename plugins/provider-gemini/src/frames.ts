import type { AnswerFrame } from '@svc/sdk/protocol';
import { type EventReader, endedEarly, isObject, parseFrame, type SseEvent, wellFormed } from '@svc/toolkit/upstream';

/** Reads the frames of a streamed answer. The stream is complete when it has given a finish reason; nothing else marks its end. */
export class GeminiEvents implements EventReader<AnswerFrame> {
  readonly isEnded = false;
  #isComplete = false;

  take({ data }: SseEvent): readonly AnswerFrame[] {
    const frame = parseFrame(data);
    this.#isComplete ||= saysWhy(frame);
    return [wellFormed(frame) as unknown as AnswerFrame];
  }

  end(): void {
    if (!this.#isComplete) throw endedEarly();
  }
}

function saysWhy({ candidates, promptFeedback }: Readonly<Record<string, unknown>>): boolean {
  const isEnded = (candidate: unknown): boolean => isObject(candidate) && candidate.finishReason != null;
  return (
    (Array.isArray(candidates) && candidates.some(isEnded)) || (isObject(promptFeedback) && promptFeedback.blockReason != null)
  );
}
