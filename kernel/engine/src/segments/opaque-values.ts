import { isObject } from '@svc/contracts';

/**
 * Values of the chat format that only a model's vendor can read, and wants back unchanged in the next request: signatures of thinking
 * (Anthropic, Gemini) and encrypted thinking (Anthropic's `redacted_thinking`, OpenRouter's `reasoning.encrypted`).
 */
const OPAQUE =
  /^(?:messages\.\*|choices\.\*\.message)\.(?:(?:thinking_blocks|reasoning_details)\.\*\.(?:signature|data)|tool_calls\.\*\.extra_content\.google\.thought_signature)$/;

/** Parts whose `signature` holds for exactly the texts beside it. */
const SIGNED = /^(?:messages\.\*|choices\.\*\.message)\.(?:thinking_blocks|reasoning_details)\.\*$/;
const SIGNED_TEXTS = ['thinking', 'text'] as const;

/** Base64 or base64url of a quarter of a million characters at most. Signatures have some thousand, encrypted thinking some ten thousand. */
const MAX_LENGTH = 262_144;
const CLOSED_FORM = /^[A-Za-z0-9+/_-]+={0,2}$/;

export const HANDLE_PREFIX = 'svc_opaque_';
const HANDLE = /^svc_opaque_[A-Za-z0-9_-]+$/;

/** What stands for fields of a part, as one text that says nothing; null: they are left out. */
export type Conceal = (fields: string) => string | null;
/** The fields that a handle stands for; null: it is none. */
export type Reveal = (handle: string) => string | null;

export function isOpaquePlace(pattern: string): boolean {
  return OPAQUE.test(pattern);
}

export function isSigned(pattern: string): boolean {
  return SIGNED.test(pattern);
}

/** Whether a value has the form of what nobody but its vendor reads. Anything else in its place is text. */
export function isOpaque(value: string): boolean {
  return isHandle(value) || (value.length <= MAX_LENGTH && CLOSED_FORM.test(value));
}

/** Whether a value has the form of the gateway's own handles. Only revealing tells whether it is one. */
export function isHandle(value: string): boolean {
  return HANDLE.test(value);
}

/**
 * A message or delta with handles in place of its opaque values. The handle of a signature stands for the texts that were signed, too: guards
 * may edit those for the caller, and the vendor gets back what it signed.
 */
export function concealed<T extends object>(message: T, conceal: Conceal): T {
  return withParts(message, (part, name) => {
    const value: unknown = Reflect.get(part, name);
    if (typeof value !== 'string' || !isOpaque(value)) return part;
    const signed = name === 'signature' ? SIGNED_TEXTS.filter((text) => typeof Reflect.get(part, text) === 'string') : [];
    const fields = [name, ...signed].map((field) => [field, Reflect.get(part, field)]);
    return withField(part, name, conceal(JSON.stringify(Object.fromEntries(fields))));
  });
}

/** A message with what its handles stand for. What has the form of one and is none is left out. */
export function revealed<T extends object>(message: T, reveal: Reveal): T {
  return withParts(message, (part, name) => {
    const value: unknown = Reflect.get(part, name);
    if (typeof value !== 'string' || !isHandle(value)) return part;
    const text = reveal(value);
    const fields: unknown = text === null ? null : JSON.parse(text);
    // One that stood for a field of another name is in the wrong place.
    return isObject(fields) && Object.hasOwn(fields, name) ? { ...part, ...fields } : withField(part, name, null);
  });
}

type Change = (part: object, name: string) => object;

/** The message itself where nothing changes. */
function withParts<T extends object>(message: T, change: Change): T {
  const blocks = withList(message, 'thinking_blocks', changedBlock, change);
  const details = withList(blocks, 'reasoning_details', changedBlock, change);
  return withList(details, 'tool_calls', changedCall, change);
}

function withList<T extends object>(
  message: T,
  field: string,
  changed: (part: object, change: Change) => object,
  change: Change,
): T {
  const parts: unknown = Reflect.get(message, field);
  if (!Array.isArray(parts)) return message;
  const after = parts.map((part: unknown) => (isObject(part) ? changed(part, change) : part));
  return after.some((part, at) => part !== parts[at]) ? { ...message, [field]: after } : message;
}

function changedBlock(block: object, change: Change): object {
  return change(change(block, 'signature'), 'data');
}

function changedCall(call: object, change: Change): object {
  const extra: unknown = Reflect.get(call, 'extra_content');
  if (!isObject(extra) || !isObject(extra.google)) return call;
  const google = change(extra.google, 'thought_signature');
  return google === extra.google ? call : { ...call, extra_content: { ...extra, google } };
}

function withField(part: object, name: string, value: string | null): object {
  const entries = Object.entries(part).flatMap(([key, old]) =>
    key !== name ? [[key, old]] : value === null ? [] : [[key, value]],
  );
  return Object.fromEntries(entries);
}
