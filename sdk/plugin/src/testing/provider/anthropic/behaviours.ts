import { JSON_HEADERS, raw, SSE_HEADERS, UPSTREAM_MARKER } from '../upstream/answers.ts';
import type { Behaviour } from '../upstream/behaviour.ts';
import { type AnthropicEvent, eventsOf } from './events.ts';
import { type AnthropicMessage, messageOf } from './message.ts';

/** One event on the wire. */
export function eventFrame(event: AnthropicEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Streams these events, then ends. */
export function events(list: readonly AnthropicEvent[]): Behaviour {
  return raw(200, SSE_HEADERS, list.map(eventFrame).join(''));
}

/** Answers like a model, streamed if requested: with an echo that `changes` modifies. */
export function answer(changes: Partial<AnthropicMessage> = {}): Behaviour {
  return async (request, response) => {
    const message = messageOf(request.body, changes);
    const { body } = request;
    const streamed = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
    const reply = streamed ? events(eventsOf(message)) : raw(200, JSON_HEADERS, JSON.stringify(message));
    await reply(request, response);
  };
}

/** An error in the API's shape. Its message contains {@link UPSTREAM_MARKER}. */
export function errorEvent(type: string): AnthropicEvent {
  return { type: 'error', error: { type, message: `Refused: ${UPSTREAM_MARKER}` }, request_id: 'req_1' };
}

/** Fails with this status and type of error. */
export function failure(status: number, type: string, headers: Record<string, string> = {}): Behaviour {
  return raw(status, { ...JSON_HEADERS, ...headers }, JSON.stringify(errorEvent(type)));
}
