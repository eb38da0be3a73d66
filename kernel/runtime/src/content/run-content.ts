import {
  type AnswerBody,
  type Clock,
  type Protocol,
  parseBody,
  type RequestBody,
  type RunEvent,
  type RunRow,
  SvcError,
} from '@svc/contracts';
import { CHAT, type Protocols } from '@svc/protocols';

/** Content item: the answer, until it is fetched or expires. */
export const ANSWER_CONTENT = 'answer';
/** Content item: the request of a pending or recorded run. */
export const REQUEST_CONTENT = 'request';
/** Content item that replaces `request` if the run continues another one: the request without the part that the other run keeps. */
export const CONTINUATION_CONTENT = 'continuation';
/** Content item beside request and answer: what a later run needs to continue this one. */
export const CONVERSATION_CONTENT = 'conversation';

export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** Reverses {@link encodeJson}, keeping the digits of numbers. */
export function decodeJson<T>(bytes: Uint8Array): T {
  return parseBody(Buffer.from(bytes).toString()) as T;
}

/** The text of an answer. Empty if there is none. */
export function responseText({
  protocol,
  completion,
}: {
  readonly protocol: Protocol;
  readonly completion: AnswerBody | null;
}): string {
  return completion === null ? '' : protocol.textOf(completion);
}

/** Paths of the fields that were removed from an answer because guards cannot check them. */
export function leftOutOf(completion: AnswerBody | null): readonly string[] {
  const names = completion?.svc_left_out;
  return Array.isArray(names) ? names.map(String) : [];
}

/** The field of a kept body that names its protocol. If it is absent, as in everything that earlier releases kept, the body is in the chat format. */
const PROTOCOL = 'svc_protocol';

/** A request or an answer, together with its protocol. */
export function encodeBody(body: RequestBody | AnswerBody, protocol: Protocol): Uint8Array {
  return encodeJson(named(body, protocol));
}

/** As {@link encodeBody}, for a body that is part of a larger value. */
export function named<T extends object>(body: T, { id }: Protocol): T {
  return id === CHAT.id ? body : { ...body, [PROTOCOL]: id };
}

/** Reverses {@link encodeBody}. @throws {SvcError} SVC-RUN-005 if this release does not know the protocol */
export function decodeBody<T extends object>(
  bytes: Uint8Array,
  protocols: Protocols,
): { readonly protocol: Protocol; readonly body: T } {
  return unnamed(decodeJson<T>(bytes), protocols);
}

/** Reverses {@link named}. @throws {SvcError} SVC-RUN-005 */
export function unnamed<T extends object>(kept: T, protocols: Protocols): { readonly protocol: Protocol; readonly body: T } {
  const { [PROTOCOL]: id = CHAT.id, ...body } = kept as T & { [PROTOCOL]?: string };
  const protocol = protocols.get(id);
  if (protocol === undefined)
    throw new SvcError(
      'SVC-RUN-005',
      'the content of this run cannot be read: its protocol plugin is not configured; ask the operator to restore it under protocols',
    );
  return { protocol, body: body as unknown as T };
}

/** Whether a model was called. Until then, a request may still contain text that guards would remove. */
export function reachedModel(events: readonly RunEvent[]): boolean {
  return events.some(({ event_type, data }) => event_type === 'provider_call' && data.outcome !== 'skipped');
}

/** When content that is to be kept for `for_ms` expires, but no later than the end of the run's retention period. Null: never. */
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
