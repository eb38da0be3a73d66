import type { OpaqueKind } from '@svc/contracts';
import { bytesOf, imageLink, sealedValue, storedAs } from '../common/opaque.ts';

/** What the fields of the chat format mean. Paths use `*` for an array index, `?` for keys that callers chose. */
const PART = String.raw`^(messages|choices)\.\*\.(message\.)?`;
const IMAGE = new RegExp(String.raw`${PART}(content|images)\.\*\.image_url(\.url)?$`);
const AUDIO = new RegExp(String.raw`${PART}(content\.\*\.input_audio|audio)\.data$`);
const FILE = new RegExp(String.raw`${PART}content\.\*\.file\.file_data$`);
const FILE_ID = new RegExp(String.raw`${PART}content\.\*\.file\.file_id$`);
const AUDIO_ID = /^messages\.\*\.audio\.id$/;

/** Signatures of thinking (Anthropic, Gemini), encrypted thinking (Anthropic's `redacted_thinking`, OpenRouter's `reasoning.encrypted`). */
const SEALED =
  /^(?:messages\.\*|choices\.\*\.message)\.(?:(?:thinking_blocks|reasoning_details)\.\*\.(?:signature|data)|tool_calls\.\*\.extra_content\.google\.thought_signature)$/;

/** Parts whose `signature` holds for exactly the texts beside it. */
const SIGNED = /^(?:messages\.\*|choices\.\*\.message)\.(?:thinking_blocks|reasoning_details)\.\*$/;

export function isSealed(pattern: string): boolean {
  return SEALED.test(pattern);
}

const THINKING =
  /^(?:messages\.\*|choices\.\*\.message)\.(?:reasoning_content|reasoning|thinking_blocks\.\*\.thinking|reasoning_details\.\*\.(?:text|summary))$/;

export function isThinking(pattern: string): boolean {
  return THINKING.test(pattern);
}

export function isSigned(pattern: string): boolean {
  return SIGNED.test(pattern);
}

/** A link to an image and a reference to a stored file are segments, too; bytes are not. Null: always text. */
export function opaqueKindOf(pattern: string): OpaqueKind | null {
  if (IMAGE.test(pattern)) return imageLink;
  if (AUDIO.test(pattern)) return bytesOf('audio');
  if (AUDIO_ID.test(pattern)) return storedAs('audio');
  if (FILE.test(pattern)) return bytesOf('file');
  if (FILE_ID.test(pattern)) return storedAs('file');
  return isSealed(pattern) ? sealedValue : null;
}

/** Fields whose string is JSON written by a model: decoded, and scanned leaf by leaf. */
export function isToolArguments(pattern: string): boolean {
  return /\.(tool_calls\.\*\.function|function_call)\.arguments$/.test(pattern);
}

/**
 * Whose string in this field may be JSON that its reader gets unchanged: any role's in the input of a custom tool and in the call of a vendor's
 * tool, whose texts a model or a tool wrote; a tool's in the content of its message.
 */
export function mayBeJsonOf(pattern: string): 'anyone' | 'tool' | null {
  if (/\.tool_calls\.\*\.custom\.input$|^(messages\.\*|choices\.\*\.message)\.vendor_calls\./.test(pattern)) return 'anyone';
  return /^messages\.\*\.content(?:\.|$)/.test(pattern) ? 'tool' : null;
}

export function isName(pattern: string): boolean {
  return /(^messages\.\*|\.function|\.custom|\.function_call|^functions\.\*|\.json_schema)\.name$/.test(pattern);
}

const CALL_ID = /^messages\.\*\.tool_call_id$|^(messages\.\*|choices\.\*\.message)\.tool_calls\.\*\.id$/;
const OTHER_ID =
  /^system_fingerprint$|^(messages\.\*|choices\.\*\.message)\.reasoning_details\.\*\.id$|^(messages\.\*|choices\.\*\.message)\.audio\.id$|^messages\.\*\.content\.\*\.file\.file_id$/;

/** `call`: it links a tool's result to its call, so that its places change together. */
export function idKind(pattern: string): 'call' | 'other' | null {
  if (CALL_ID.test(pattern)) return 'call';
  return OTHER_ID.test(pattern) ? 'other' : null;
}
