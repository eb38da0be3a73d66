import { type ChatMessage, isObject, type JsonObject } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';

/** What Google's clients write where they have no signature: nobody signed anything. */
const NO_SIGNATURE: ReadonlySet<unknown> = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/** Whether a model signed something. */
export function isSignature(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !NO_SIGNATURE.has(value);
}

/** The signature of a call, where Google's own servers of the chat format write it. */
export function signatureOfCall({ extra_content }: Readonly<Record<string, unknown>>): string {
  const google = isObject(extra_content) ? extra_content.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : '';
}

export function signedCall(signature: string): JsonObject {
  return signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } };
}

/** Signed thinking of a message or a delta of the chat format. */
export function signedIn({ thinking_blocks }: Readonly<Record<string, unknown>>): { thinking: string; signature: string }[] {
  return objectsIn(thinking_blocks).flatMap(({ thinking, signature }) =>
    typeof thinking === 'string' && typeof signature === 'string' && signature !== '' ? [{ thinking, signature }] : [],
  );
}

/** The text of the reasoning; empty if there is none. */
export function thoughtIn({ reasoning_content, reasoning }: Partial<ChatMessage>): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === 'string' ? text : '';
}
