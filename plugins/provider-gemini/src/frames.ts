import type { AnswerFrame } from '@svc/sdk';
import { endedEarly, isObject, malformed, parseJsonPiece, type SseEvent, wellFormed } from '@svc/toolkit/upstream';

/** The frames of a streamed answer, as they come. It is complete when it has said why it ended: nothing else marks the end. */
export async function* readFrames(events: AsyncIterable<SseEvent>): AsyncGenerator<AnswerFrame, void, void> {
  let isComplete = false;
  for await (const { data } of events) {
    const frame = parseJsonPiece(data);
    if (!isObject(frame)) throw malformed('an event that is no object');
    isComplete ||= saysWhy(frame);
    yield wellFormed(frame) as unknown as AnswerFrame;
  }
  if (!isComplete) throw endedEarly();
}

function saysWhy({ candidates, promptFeedback }: Readonly<Record<string, unknown>>): boolean {
  const isEnded = (candidate: unknown): boolean => isObject(candidate) && candidate.finishReason != null;
  return (
    (Array.isArray(candidates) && candidates.some(isEnded)) || (isObject(promptFeedback) && promptFeedback.blockReason != null)
  );
}
