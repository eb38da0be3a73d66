import { isObject, type ThinkingBlock } from '@svc/contracts';

/**
 * Values of the chat format that only a model's vendor can read, and wants back unchanged in the next request: signatures of thinking
 * (Anthropic, Gemini) and encrypted thinking (Anthropic's `redacted_thinking`, OpenRouter's `reasoning.encrypted`).
 */
const OPAQUE =
  /^(?:messages\.\*|choices\.\*\.message)\.(?:(?:thinking_blocks|reasoning_details)\.\*\.(?:signature|data)|tool_calls\.\*\.extra_content\.google\.thought_signature)$/;

/** Parts whose `signature` holds for exactly the texts beside it. */
const SIGNED = /^(?:messages\.\*|choices\.\*\.message)\.(?:thinking_blocks|reasoning_details)\.\*$/;

/** Base64 or base64url of a quarter of a million characters at most. Signatures have some thousand, encrypted thinking some ten thousand. */
const MAX_LENGTH = 262_144;
const CLOSED_FORM = /^[A-Za-z0-9+/_-]+={0,2}$/;
const HANDLE = /^svc_opaque_[A-Za-z0-9_-]+$/;

export const HANDLE_PREFIX = 'svc_opaque_';

export function isOpaquePlace(pattern: string): boolean {
  return OPAQUE.test(pattern);
}

export function isSigned(pattern: string): boolean {
  return SIGNED.test(pattern);
}

/** Whether a value has the form of what nobody but its vendor reads. Anything else in its place is text. */
export function isOpaque(value: string): boolean {
  return value.length <= MAX_LENGTH && CLOSED_FORM.test(value);
}

/** Whether a value has the form of the gateway's own handles. Only opening tells whether it is one. */
export function isHandle(value: string): boolean {
  return HANDLE.test(value);
}

/** A message or delta with each of its opaque values exchanged, or without it where that gives null. Itself where nothing changes. */
export function withOpaque<T extends object>(message: T, exchange: (value: string) => string | null): T {
  const changed: Record<string, unknown> = {};
  for (const field of ['thinking_blocks', 'reasoning_details']) {
    const parts = exchangedParts(Reflect.get(message, field), (part) => exchanged(part, ['signature', 'data'], exchange));
    if (parts !== null) changed[field] = parts;
  }
  const calls = exchangedParts(Reflect.get(message, 'tool_calls'), (call) => exchangedCall(call, exchange));
  if (calls !== null) changed.tool_calls = calls;
  return Object.keys(changed).length === 0 ? message : { ...message, ...changed };
}

/** Without blocks of thinking that have lost what makes them one: their vendor would refuse them. */
export function withoutUnsigned<T extends object>(message: T): T {
  const { thinking_blocks, ...others } = message as T & { thinking_blocks?: readonly ThinkingBlock[] };
  if (!Array.isArray(thinking_blocks) || thinking_blocks.every(isWhole)) return message;
  const left = thinking_blocks.filter(isWhole);
  return (left.length === 0 ? others : { ...others, thinking_blocks: left }) as T;
}

function isWhole(block: ThinkingBlock): boolean {
  return (block.type === 'thinking' ? block.signature : block.data) !== undefined;
}

/** Null where no part changes. */
function exchangedParts(parts: unknown, exchange: (part: object) => object): readonly unknown[] | null {
  if (!Array.isArray(parts)) return null;
  const after = parts.map((part: unknown) => (isObject(part) ? exchange(part) : part));
  return after.some((part, at) => part !== parts[at]) ? after : null;
}

function exchangedCall(call: object, exchange: (value: string) => string | null): object {
  const extra: unknown = Reflect.get(call, 'extra_content');
  if (!isObject(extra) || !isObject(extra.google)) return call;
  const google = exchanged(extra.google, ['thought_signature'], exchange);
  return google === extra.google ? call : { ...call, extra_content: { ...extra, google } };
}

function exchanged(part: object, names: readonly string[], exchange: (value: string) => string | null): object {
  const found = names.filter((name) => typeof Reflect.get(part, name) === 'string');
  if (found.length === 0) return part;
  const after: Record<string, unknown> = { ...part };
  for (const name of found) {
    const value = exchange(String(after[name]));
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return after;
}
