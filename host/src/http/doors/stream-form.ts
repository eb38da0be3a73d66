import type { AnswerFrame } from '@svc/contracts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';

/** How the frames of a streamed answer are written. */
export interface StreamForm {
  /** Headers of the response. */
  readonly head: Readonly<Record<string, string>>;
  /** @param number position of the frame, counted from 0 */
  text(frame: AnswerFrame, number: number): string;
  /** The keep-alive, if the protocol has no frame for it. */
  readonly silence: string;
  /** @param count number of frames before the end */
  end(count: number): string;
}

/** Server-sent events with the type of each frame as their name. */
export const NAMED_EVENTS: StreamForm = {
  head: EVENT_STREAM,
  text: (frame) => `${eventLine(frame.type)}data: ${JSON.stringify(frame)}\n\n`,
  silence: KEEP_ALIVE,
  end: () => '',
};

export const EVENTS: StreamForm = { ...NAMED_EVENTS, text: (frame) => `data: ${JSON.stringify(frame)}\n\n` };

/** A single JSON array. */
export const LIST: StreamForm = {
  head: { ...EVENT_STREAM, 'content-type': 'application/json; charset=utf-8' },
  text: (frame, number) => `${number === 0 ? '[' : ',\n'}${JSON.stringify(frame)}`,
  silence: '\n',
  end: (count) => (count === 0 ? '[]' : ']'),
};

/** Empty for a type that could end the line: the text after it would be an event that no guard has checked. */
function eventLine(type: unknown): string {
  return typeof type === 'string' && /^[\w.-]+$/.test(type) ? `event: ${type}\n` : '';
}
