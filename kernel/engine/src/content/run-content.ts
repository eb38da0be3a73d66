import type { ChatCompletion, Clock, RunEvent, RunRow } from '@svc/contracts';

/** Content item: the answer, kept for pick-up. */
export const ANSWER_CONTENT = 'answer';
/** Content item: the request of a pending or recorded run. */
export const REQUEST_CONTENT = 'request';
/** Content item in its place: the request of a recorded run that continues another, without what that one keeps. */
export const CONTINUATION_CONTENT = 'continuation';
/** Content item: beside request and answer, that a later run may continue them. */
export const CONVERSATION_CONTENT = 'conversation';
/** `from`: index of the first message of the request that is repeated then. */
export interface Conversation {
  readonly from: number;
}

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** What {@link encodeJson} was given. */
export function decodeJson<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

/** The text of the first choice; empty if there is none. */
export function responseText(completion: ChatCompletion | null): string {
  const content = completion?.choices[0]?.message.content;
  return typeof content === 'string' ? content : '';
}

/** Whether a provider was called. Before that, a request may still contain text that guards would have removed. */
export function reachedModel(events: readonly RunEvent[]): boolean {
  return events.some(({ event_type, data }) => event_type === 'provider_call' && data.outcome !== 'skipped');
}

/** When content expires that is to be kept for `for_ms` from now: no later than the retention of the run's content. Null: never. */
export function keptUntil(
  { created_at }: RunRow,
  for_ms: number | null,
  { clock, retention_ms }: { readonly clock: Clock; readonly retention_ms: number | null },
): number | null {
  const ends = [
    ...(for_ms === null ? [] : [clock.now() + for_ms]),
    ...(retention_ms === null ? [] : [Date.parse(created_at) + retention_ms]),
  ];
  return ends.length === 0 ? null : Math.min(...ends);
}
