import type { AnswerFrame } from '@svc/sdk';
import { endedEarly, isObject, malformed, parseJsonPiece, type SseEvent, TextPieces, wellFormed } from '@svc/toolkit/upstream';

/** The frames of a streamed message, as they come. It is complete with `message_stop`. */
export async function* readFrames(events: AsyncIterable<SseEvent>): AsyncGenerator<AnswerFrame, void, void> {
  const pieces = new TextPieces();
  for await (const { type, data } of events) {
    const frame = parseJsonPiece(data);
    if (!isObject(frame)) throw malformed('an event that is no object');
    if (type === 'error') frame.type = type;
    if (isObject(frame.delta)) wholeCharacters(frame.delta, String(frame.index), pieces);
    yield wellFormed(frame) as unknown as AnswerFrame;
    if (frame.type === 'message_stop') return;
  }
  throw endedEarly();
}

/** Half a character at the end of a piece goes with the next. */
function wholeCharacters(delta: Record<string, unknown>, block: string, pieces: TextPieces): void {
  for (const [name, value] of Object.entries(delta))
    if (name !== 'type' && typeof value === 'string') delta[name] = pieces.push(`${block} ${name}`, value);
}
