import { JSON_HEADERS, raw, SSE_HEADERS, UPSTREAM_MARKER } from '../upstream/answers.ts';
import type { Behaviour } from '../upstream/server.ts';
import { type AnthropicEvent, eventsOf } from './events.ts';
import { type AnthropicMessage, messageOf } from './message.ts';

/** One event as it is sent. */
export function eventFrame(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Streams these events and ends. */
export function events(list: readonly AnthropicEvent[]): Behaviour {
  return raw(200, SSE_HEADERS, list.map(eventFrame).join(''));
}

/** Answers as a model would, streamed if asked so: with an echo, or with a message that differs from it by `changes`. */
export function answer(changes: Partial<AnthropicMessage> = {}): Behaviour {
  return async (request, response) => {
    const message = messageOf(request.body, changes);
    const { body } = request;
    const streamed = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
    const reply = streamed ? events(eventsOf(message)) : raw(200, JSON_HEADERS, JSON.stringify(message));
    await reply(request, response);
  };
}

/** An error in the API's shape; the message holds {@link UPSTREAM_MARKER}. */
export function errorEvent(type: string): AnthropicEvent {
  return { type: 'error', error: { type, message: `Refused: ${UPSTREAM_MARKER}` }, request_id: 'req_1' };
}

/** Refuses with this status and this type of error. */
export function failure(status: number, type: string, headers: Record<string, string> = {}): Behaviour {
  return raw(status, { ...JSON_HEADERS, ...headers }, JSON.stringify(errorEvent(type)));
}
