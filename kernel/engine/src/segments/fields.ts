import { type SkippedPart, VENDOR_TOOLS } from '@svc/contracts';
import { isHandle, isOpaque, isOpaquePlace } from './opaque-values.ts';

/** What the fields of the chat format mean for collecting segments. Paths use `*` for an array index, `?` for keys that callers chose. */
const PART = String.raw`^(messages|choices)\.\*\.(message\.)?`;
const IMAGE = new RegExp(String.raw`${PART}content\.\*\.image_url(\.url)?$`);
const AUDIO = new RegExp(String.raw`${PART}(content\.\*\.input_audio|audio)\.data$`);
const FILE = new RegExp(String.raw`${PART}content\.\*\.file\.file_data$`);
const FILE_ID = new RegExp(String.raw`${PART}content\.\*\.file\.file_id$`);
const AUDIO_ID = /^messages\.\*\.audio\.id$/;
const BASE64 = /^(data:[\w.+/;=-]*,)?[A-Za-z0-9+/_=\r\n-]*$/;
const BASE64_URL = /^data:[\w.+/;=-]*(?<=;base64),[A-Za-z0-9+/_=-]*$/i;

/** The kind of a value that no guard can read; null: it is text. */
export type OpaqueKind = (value: string) => { readonly why: SkippedPart['why']; readonly readable: boolean } | null;

/**
 * Parts of messages whose content no guard can read. A link to an image and a reference to a stored file are segments, too; bytes are not. A
 * value without the form of bytes is text, wherever it stands. Null: always text.
 */
export function opaqueKindOf(pattern: string): OpaqueKind | null {
  if (IMAGE.test(pattern)) return (value) => ({ why: 'image', readable: !BASE64_URL.test(value) });
  if (AUDIO.test(pattern)) return (value) => (BASE64.test(value) ? { why: 'audio', readable: false } : null);
  if (AUDIO_ID.test(pattern)) return () => ({ why: 'audio', readable: true });
  if (FILE.test(pattern)) return (value) => (BASE64.test(value) ? { why: 'file', readable: false } : null);
  if (FILE_ID.test(pattern)) return () => ({ why: 'file', readable: true });
  if (isOpaquePlace(pattern)) return opaqueValue;
  return null;
}

/** A handle goes to the model as what it stands for, or not at all. Anything else goes as it is. */
const opaqueValue: OpaqueKind = (value) =>
  isOpaque(value) ? { why: isHandle(value) ? 'handle' : 'opaque', readable: false } : null;

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

/** Field names that may be shown in paths and events. Any other key was chosen by a caller or a model and is shown as a number. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  `messages role content text type name tool_calls tool_call_id id function arguments custom input refusal reasoning_content
  image_url url detail input_audio audio data format file file_data file_id filename annotations function_call
  choices message index finish_reason logprobs usage object created model system_fingerprint service_tier
  tools functions description parameters properties items required enum strict tool_choice parallel_tool_calls
  response_format json_schema schema stop stream stream_options n seed user metadata store temperature top_p top_logprobs
  max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias modalities prediction reasoning_effort
  include_usage include_obfuscation logit_bias prompt_tokens completion_tokens total_tokens
  prompt_tokens_details completion_tokens_details cached_tokens audio_tokens reasoning_tokens
  accepted_prediction_tokens rejected_prediction_tokens reasoning_content grammar syntax definition
  additionalProperties anyOf oneOf allOf const default title format pattern minimum maximum minLength maxLength minItems maxItems
  $ref $defs url_citation start_index end_index approximate city country region timezone
  verbosity safety_identifier prompt_cache_key prompt_cache_retention web_search_options search_context_size user_location voice
  obfuscation svc_left_out encoding_format dimensions
  reasoning reasoning_details summary thinking_blocks thinking signature extra_content google thought_signature
  cache_control ttl budget_tokens display context_management edits output_config effort anthropic_beta anthropic_version
  cache_creation_tokens reasoning_summary vendor_calls action query queries sources status`.split(/\s+/),
);

/** Whether a path such as `tools[0].function.parameters` names known fields only. */
export function isKnownParam(path: string): boolean {
  return (
    path.length <= 128 &&
    // A number may be the index of a message, and no more.
    (path.match(/\d/g)?.length ?? 0) <= 6 &&
    /^\w+(\.\w+|\[\d{1,4}\])*$/.test(path) &&
    path.split(/[.[\]]+/).every((part) => part === '' || /^\d+$/.test(part) || isKnownField(part))
  );
}

export function isKnownField(key: string): boolean {
  return KNOWN_FIELDS.has(key);
}

const VENDOR_TOOL_TYPES: ReadonlySet<string> = new Set(VENDOR_TOOLS.split(/\s+/));

/**
 * A path such as `tools.web_search` up to its first unknown name, which is `other`: a caller wrote the names of parameters and the types of
 * tools, and only known ones may appear in events.
 */
export function knownPath(path: string): string {
  const names = path.split('.');
  const unknown = names.findIndex((name) => !isKnownField(name) && !VENDOR_TOOL_TYPES.has(name));
  return unknown === -1 ? path : [...names.slice(0, unknown), 'other'].join('.');
}
