import { VENDOR_TOOLS, type Vocabulary, withoutDate } from '@svc/contracts';
import { NO_WORDS, words } from '../common/words.ts';

/** Values of the chat format that mean the same in every request and answer, so guards need not check them. Any other value counts as text. */
export const ROLES = words('system developer user assistant tool function');
const CALL_TYPES = words('function custom');
const VENDOR_TYPES = words(VENDOR_TOOLS);
/** A tool type: one of the caller's, or any version of a vendor's own tool (`text_editor_20250728`). */
const TOOL_TYPES: Vocabulary = { has: (type) => CALL_TYPES.has(type) || VENDOR_TYPES.has(withoutDate(type)) };
const PART_TYPES = words('text refusal image_url input_audio file');
const TIERS = words('auto default flex priority scale standard batch');
const LEVELS = words('low medium high');
const EFFORTS = words('none minimal low medium high xhigh max');
const THINKING_TYPES = words('thinking redacted_thinking');
const DETAIL_TYPES = words('reasoning.summary reasoning.encrypted reasoning.text');
const DETAIL_FORMATS = words(
  'unknown openai-responses-v1 azure-openai-responses-v1 xai-responses-v1 anthropic-claude-v1 google-gemini-v1',
);
const CACHE_TYPES = words('ephemeral');
const CACHE_TIMES = words('5m 1h');

type Vocabularies = Readonly<Record<string, Vocabulary>>;

/** The vocabularies by path. `*` stands for an array index, and `?` for a key that the caller chose. */
const VOCABULARIES: Readonly<Record<'request' | 'answer', Vocabularies>> = {
  request: {
    'audio.format': words('wav mp3 flac opus aac pcm16'),
    'audio.voice': words('alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'),
    encoding_format: words('float base64'),
    function_call: words('none auto'),
    'modalities.*': words('text audio image'),
    'prediction.type': words('content'),
    prompt_cache_retention: words('in-memory in_memory 24h'),
    'output_config.effort': EFFORTS,
    reasoning_effort: EFFORTS,
    reasoning_summary: words('auto concise detailed'),
    'response_format.type': words('text json_object json_schema'),
    service_tier: TIERS,
    tool_choice: words('none auto required any'),
    'tool_choice.type': { has: (type) => type === 'allowed_tools' || TOOL_TYPES.has(type) },
    anthropic_version: words('2023-06-01'),
    'thinking.type': words('enabled adaptive between_tools disabled'),
    'thinking.display': words('summarized omitted updates'),
    'cache_control.type': CACHE_TYPES,
    'cache_control.ttl': CACHE_TIMES,
    'tools.*.cache_control.type': CACHE_TYPES,
    'tools.*.cache_control.ttl': CACHE_TIMES,
    'tools.*.type': TOOL_TYPES,
    'tools.*.custom.format.type': words('text grammar'),
    'tools.*.custom.format.grammar.syntax': words('lark regex'),
    verbosity: LEVELS,
    'web_search_options.search_context_size': LEVELS,
    'web_search_options.user_location.type': words('approximate'),
    'messages.*.role': ROLES,
    'messages.*.tool_calls.*.type': CALL_TYPES,
    'messages.*.thinking_blocks.*.type': THINKING_TYPES,
    'messages.*.reasoning_details.*.type': DETAIL_TYPES,
    'messages.*.reasoning_details.*.format': DETAIL_FORMATS,
    'messages.*.content.*.type': PART_TYPES,
    'messages.*.cache_control.type': CACHE_TYPES,
    'messages.*.cache_control.ttl': CACHE_TIMES,
    'messages.*.tool_calls.*.cache_control.type': CACHE_TYPES,
    'messages.*.tool_calls.*.cache_control.ttl': CACHE_TIMES,
    'messages.*.content.*.cache_control.type': CACHE_TYPES,
    'messages.*.content.*.cache_control.ttl': CACHE_TIMES,
    'messages.*.content.*.image_url.detail': words('auto low high original'),
    'messages.*.content.*.input_audio.format': words('wav mp3'),
  },
  answer: {
    service_tier: TIERS,
    'choices.*.finish_reason': words('stop length tool_calls content_filter function_call'),
    'choices.*.message.role': ROLES,
    'choices.*.message.annotations.*.type': words('url_citation file_citation file_path container_file_citation'),
    'choices.*.message.content.*.type': PART_TYPES,
    'choices.*.message.images.*.type': PART_TYPES,
    'choices.*.message.thinking_blocks.*.type': THINKING_TYPES,
    'choices.*.message.reasoning_details.*.type': DETAIL_TYPES,
    'choices.*.message.reasoning_details.*.format': DETAIL_FORMATS,
    'choices.*.message.tool_calls.*.type': CALL_TYPES,
  },
};
const SCHEMA_ROOT = /^(tools\.\*\.function\.parameters|functions\.\*\.parameters|response_format\.json_schema\.schema)\./;
const SCHEMA_TYPES = words('array boolean integer null number object string');

/** The values at this place that need no check. */
export function vocabularyOf(of: 'request' | 'answer', pattern: string): Vocabulary {
  const listed = VOCABULARIES[of][pattern];
  if (listed !== undefined) return listed;
  return pattern.endsWith('.type') && SCHEMA_ROOT.test(pattern) ? SCHEMA_TYPES : NO_WORDS;
}

const QUANTITIES: Readonly<Record<'request' | 'answer', RegExp>> = {
  request:
    /^(n|dimensions|thinking\.budget_tokens|messages\.\*\.reasoning_details\.\*\.index|max_tokens|max_completion_tokens|temperature|top_p|top_logprobs|presence_penalty|frequency_penalty|logit_bias\.\?)$/,
  answer:
    /^(choices\.\*\.index|choices\.\*\.message\.reasoning_details\.\*\.index|usage\..*|choices\.\*\.message\.annotations\.\*\.url_citation\.(start|end)_index)$/,
};

export function isQuantity(of: 'request' | 'answer', pattern: string): boolean {
  return QUANTITIES[of].test(pattern);
}

/** Fields that the gateway always overwrites: it replaces the route's name with the upstream's model, and writes its own head into answers. */
const OWN: Readonly<Record<'request' | 'answer', ReadonlySet<string>>> = {
  request: words('model'),
  answer: words('id object created model svc_left_out.*'),
};

export function isOwn(of: 'request' | 'answer', pattern: string): boolean {
  return OWN[of].has(pattern);
}
