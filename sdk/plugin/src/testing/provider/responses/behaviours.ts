import { JSON_HEADERS, raw, SSE_HEADERS } from '../upstream/answers.ts';
import type { Behaviour } from '../upstream/behaviour.ts';
import { eventsOf, type ResponseEvent } from './events.ts';
import { responseOf, type UpstreamResponse } from './response.ts';

/** One event on the wire. */
export function eventFrame(event: ResponseEvent, sequence_number = 0): string {
  return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
}

/** Streams these events, then ends. */
export function events(list: readonly ResponseEvent[]): Behaviour {
  return raw(200, SSE_HEADERS, list.map(eventFrame).join(''));
}

/** Answers like a model, streamed if requested: with an echo that `changes` modifies. */
export function answer(changes: Partial<UpstreamResponse> = {}): Behaviour {
  return async (request, response) => {
    const { body } = request;
    const answered = responseOf(body, changes);
    const streamed = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
    const reply = streamed ? events(eventsOf(answered)) : raw(200, JSON_HEADERS, JSON.stringify(answered));
    await reply(request, response);
  };
}
