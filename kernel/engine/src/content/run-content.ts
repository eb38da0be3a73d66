import type { ChatCompletion, ChatRequest, RunEvent } from '@svc/contracts';

/** Name of the content item that holds an answer for pick-up. */
export const ANSWER_CONTENT = 'answer';
/** Name of the content item that holds the request of a waiting or recorded run. */
export const REQUEST_CONTENT = 'request';

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

export function decodeCompletion(bytes: Uint8Array): ChatCompletion {
  return JSON.parse(Buffer.from(bytes).toString()) as ChatCompletion;
}

/** The text of the first choice; empty where there is none. */
export function responseText(completion: ChatCompletion | null): string {
  const content = completion?.choices[0]?.message.content;
  return typeof content === 'string' ? content : '';
}

export function decodeRequest(bytes: Uint8Array): ChatRequest {
  return JSON.parse(Buffer.from(bytes).toString()) as ChatRequest;
}

/** Whether a provider was called. Before that a request may still hold what the guards would have taken out of it. */
export function reachedModel(events: readonly RunEvent[]): boolean {
  return events.some(({ event_type }) => event_type === 'provider_call');
}
