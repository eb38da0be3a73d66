import type { OpaqueKind } from '@svc/contracts';
import { bytesOf, imageLink, sealedValue, storedAs } from '../common/opaque.ts';

/** The meaning of the fields in the chat format. In paths, `*` stands for an array index and `?` for a key that the caller chose. */
const PART = String.raw`^(messages|choices)\.\*\.(message\.)?`;
const IMAGE = new RegExp(String.raw`${PART}(content|images)\.\*\.image_url(\.url)?$`);
const AUDIO = new RegExp(String.raw`${PART}(content\.\*\.input_audio|audio)\.data$`);
const FILE = new RegExp(String.raw`${PART}content\.\*\.file\.file_data$`);
const FILE_ID = new RegExp(String.raw`${PART}content\.\*\.file\.file_id$`);
const AUDIO_ID = /^messages\.\*\.audio\.id$/;

/** Signatures of thinking (Anthropic, Gemini) and encrypted thinking (Anthropic's `redacted_thinking`, OpenRouter's `reasoning.encrypted`). */
const SEALED =
  /^(?:messages\.\*|choices\.\*\.message)\.(?:(?:thinking_blocks|reasoning_details)\.\*\.(?:signature|data)|tool_calls\.\*\.extra_content\.google\.thought_signature)$/;

/** Parts whose `signature` is valid only for the text beside it. */
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

/**
 * The kind of opaque value at a place. Null: it is always text. Guards also see image links and references to stored files as segments, but not
 * bytes.
 */
export function opaqueKindOf(pattern: string): OpaqueKind | null {
  if (IMAGE.test(pattern)) return imageLink;
  if (AUDIO.test(pattern)) return bytesOf('audio');
  if (AUDIO_ID.test(pattern)) return storedAs('audio');
  if (FILE.test(pattern)) return bytesOf('file');
  if (FILE_ID.test(pattern)) return storedAs('file');
  return isSealed(pattern) ? sealedValue : null;
}

/** Whether a field contains JSON written by a model. The JSON is decoded, and guards see each string in it. */
export function isToolArguments(pattern: string): boolean {
  return /\.(tool_calls\.\*\.function|function_call)\.arguments$/.test(pattern);
}

/**
 * Who may write JSON into this field, to be passed on unchanged. `anyone`: the input of a custom tool, and the call of a vendor's tool. `tool`: the
 * content of a tool message. Null: nobody.
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

/** `call`: the id links a tool's result to its call, so both must change together. */
export function idKind(pattern: string): 'call' | 'other' | null {
  if (CALL_ID.test(pattern)) return 'call';
  return OTHER_ID.test(pattern) ? 'other' : null;
}
