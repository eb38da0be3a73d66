import { type ChatMessage, isObject, type JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';

/** Placeholders that Google's clients send instead of a signature. */
const NO_SIGNATURE: ReadonlySet<unknown> = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/** Whether a value is a signature of a model. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !NO_SIGNATURE.has(value);
}

/** The signature of a call, in the place that Google's chat-format servers use. */
export function signatureOfCall({ extra_content }: Readonly<Record<string, unknown>>): string {
  const google = isObject(extra_content) ? extra_content.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : '';
}

export function signedCall(signature: string): JsonObject {
  return signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** The signed thinking of a chat message or delta. */
export function signedIn({ thinking_blocks }: Readonly<Record<string, unknown>>): { thinking: string; signature: string }[] {
  return objectsIn(thinking_blocks).flatMap(({ thinking, signature }) =>
    typeof thinking === 'string' && typeof signature === 'string' && signature !== '' ? [{ thinking, signature }] : [],
  );
}

/** The reasoning text. Empty if there is none. */
export function thoughtIn({ reasoning_content, reasoning }: Partial<ChatMessage>): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === 'string' ? text : '';
}
