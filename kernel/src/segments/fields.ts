/**
 * What the fields of the chat format mean to the segment walk. Paths use `*` for an array index.
 * The written list of structural fields: their values name roles, types, formats, ids and models, and no guard looks at them.
 * A value that does not look like an identifier is text all the same, so the list cannot be used to carry text past a guard.
 */
const STRUCTURAL: ReadonlySet<string> = new Set([
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
  // Answers.
  'id',
  'object',
  'system_fingerprint',
  'choices.*.finish_reason',
  'choices.*.message.role',
  'choices.*.message.audio.id',
  'choices.*.message.annotations.*.type',
  'choices.*.message.content.*.type',
  'choices.*.message.tool_calls.*.id',
  'choices.*.message.tool_calls.*.type',
]);
const IDENTIFIER = /^[A-Za-z0-9_.:/-]{1,128}$/;
const SCHEMA_ROOT = /^(tools\.\*\.function\.parameters|functions\.\*\.parameters|response_format\.json_schema\.schema)\./;
const SCHEMA_TYPES: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

export function isStructural(pattern: string, value: string): boolean {
  if (STRUCTURAL.has(pattern)) return IDENTIFIER.test(value);
  return pattern.endsWith('.type') && SCHEMA_TYPES.has(value) && SCHEMA_ROOT.test(pattern);
}

/** Parts that hold no readable text. A link to an image is also a segment; bytes and references to stored files are not. */
export function opaqueKind(pattern: string, value: string): { why: 'image' | 'audio' | 'file'; readable: boolean } | null {
  if (/\.image_url(\.url)?$/.test(pattern)) return { why: 'image', readable: !/^data:/i.test(value) };
  if (/\.(input_audio|audio)\.data$/.test(pattern) || /^messages\.\*\.audio\.id$/.test(pattern))
    return { why: 'audio', readable: false };
  if (/\.file\.(file_data|file_id)$/.test(pattern)) return { why: 'file', readable: false };
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
  verbosity safety_identifier prompt_cache_key prompt_cache_retention web_search_options search_context_size user_location voice`.split(
    /\s+/,
  ),
);

export function isKnownField(key: string): boolean {
  return KNOWN_FIELDS.has(key);
}
