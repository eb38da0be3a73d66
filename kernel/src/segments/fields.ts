/**
 * What the fields of the chat format mean to the segment walk. Paths use `*` for an array index.
 * The written list of structural fields: their values name roles, types, formats, ids and models, and no guard looks at them.
 * A value that is no identifier is text all the same. Within that form a caller can still write what he likes into an id: the list
 * keeps guards from breaking a request, it keeps nobody from talking to a model.
 */
const STRUCTURAL: Readonly<Record<'request' | 'answer', ReadonlySet<string>>> = {
  request: new Set([
    'model',
    'audio.format',
    'audio.voice',
    'function_call',
    'modalities.*',
    'prediction.type',
    'prompt_cache_retention',
    'reasoning_effort',
    'response_format.type',
    'service_tier',
    'tool_choice',
    'tool_choice.type',
    'tools.*.type',
    'tools.*.custom.format.type',
    'verbosity',
    'web_search_options.search_context_size',
    'messages.*.role',
    'messages.*.tool_call_id',
    'messages.*.tool_calls.*.id',
    'messages.*.tool_calls.*.type',
    'messages.*.content.*.type',
    'messages.*.content.*.image_url.detail',
    'messages.*.content.*.input_audio.format',
  ]),
  answer: new Set([
    'id',
    'model',
    'object',
    'service_tier',
    'system_fingerprint',
    'choices.*.finish_reason',
    'choices.*.message.role',
    'choices.*.message.audio.id',
    'choices.*.message.annotations.*.type',
    'choices.*.message.content.*.type',
    'choices.*.message.tool_calls.*.id',
    'choices.*.message.tool_calls.*.type',
  ]),
};
const IDENTIFIER = /^[A-Za-z0-9_.:/-]{1,128}$/;
const SCHEMA_ROOT = /^(tools\.\*\.function\.parameters|functions\.\*\.parameters|response_format\.json_schema\.schema)\./;
const SCHEMA_TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

export function isStructural(of: 'request' | 'answer', pattern: string, value: string): boolean {
  if (STRUCTURAL[of].has(pattern)) return IDENTIFIER.test(value);
  return pattern.endsWith('.type') && SCHEMA_TYPES.has(value) && SCHEMA_ROOT.test(pattern);
}

const PART = String.raw`^(messages|choices)\.\*\.(message\.)?`;
const IMAGE = new RegExp(String.raw`${PART}content\.\*\.image_url(\.url)?$`);
const AUDIO = new RegExp(String.raw`${PART}(content\.\*\.input_audio|audio)\.data$`);
const FILE = new RegExp(String.raw`${PART}content\.\*\.file\.file_data$`);
const FILE_ID = new RegExp(String.raw`${PART}content\.\*\.file\.file_id$`);
const AUDIO_ID = /^messages\.\*\.audio\.id$/;
const BASE64 = /^(data:[\w.+/;=-]*,)?[A-Za-z0-9+/_=\r\n-]*$/;
const BASE64_URL = /^data:[\w.+/;=-]*;base64,[A-Za-z0-9+/_=-]*$/i;

/**
 * Parts of messages that hold no readable text. A link to an image is also a segment; bytes and references to stored files are not.
 * What does not have the form of bytes or a reference is text, wherever it stands.
 */
export function opaqueKind(pattern: string, value: string): { why: 'image' | 'audio' | 'file'; readable: boolean } | null {
  if (IMAGE.test(pattern)) return { why: 'image', readable: !BASE64_URL.test(value) };
  if (AUDIO.test(pattern) && BASE64.test(value)) return { why: 'audio', readable: false };
  if (AUDIO_ID.test(pattern) && IDENTIFIER.test(value)) return { why: 'audio', readable: false };
  if (FILE.test(pattern) && BASE64.test(value)) return { why: 'file', readable: false };
  if (FILE_ID.test(pattern) && IDENTIFIER.test(value)) return { why: 'file', readable: false };
  return null;
}

/** Fields whose string is JSON written by a model: looked at leaf by leaf once decoded. */
export function isToolArguments(pattern: string): boolean {
  return /\.(tool_calls\.\*\.function|function_call)\.arguments$/.test(pattern);
}

export function isName(pattern: string): boolean {
  return /(^messages\.\*|\.function|\.custom|\.function_call|^functions\.\*|\.json_schema)\.name$/.test(pattern);
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
  verbosity safety_identifier prompt_cache_key prompt_cache_retention web_search_options search_context_size user_location voice`.split(
    /\s+/,
  ),
);

export function isKnownField(key: string): boolean {
  return KNOWN_FIELDS.has(key);
}
