import { VENDOR_TOOLS, type Vocabulary, withoutDate } from '@svc/contracts';
import { NO_WORDS, words } from '../common/words.ts';
import { ITEM_TYPES } from '../names/responses.ts';

/** Values that mean the same in every request and answer, so guards need not check them. Any other value counts as text. */
const VENDOR_TYPES = words(VENDOR_TOOLS);
const CALLER_TYPES = words('function custom namespace');
const TOOL_TYPES: Vocabulary = { has: (type) => CALLER_TYPES.has(type) || VENDOR_TYPES.has(withoutDate(type)) };
const CHOICE_WORDS = words('none auto required');
const PART_TYPES = words(
  'input_text input_image input_file input_audio output_text output_audio refusal reasoning_text summary_text text computer_screenshot',
);
const TIERS = words('auto default fast flex priority scale standard batch');
const LEVELS = words('low medium high');
const SUMMARIES = words('auto concise detailed');
const STATUSES = words('in_progress completed failed incomplete interpreting searching generating calling queued cancelled');
const DETAILS = words('auto low high original');
const CACHE_TIMES = words('5m 30m 1h 12h 24h in_memory in-memory');
const FILTERS = words('eq ne gt gte lt lte in nin and or');

export const INCOMPLETE_REASONS = words('max_output_tokens max_messages content_filter steered');

/** The vocabularies by place. `*` stands for an array index, and `item` for an item in any list. */
const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  'item.type': ITEM_TYPES,
  'item.role': words('user assistant system developer tool'),
  'item.status': STATUSES,
  'item.phase': words('commentary final_answer'),
  'item.execution': words('server client'),
  'item.caller.type': words('direct program'),
  'item.content.*.type': PART_TYPES,
  'item.content.*.detail': DETAILS,
  'item.content.*.input_audio.format': words('mp3 wav'),
  'item.content.*.annotations.*.type': words('url_citation file_citation file_path container_file_citation'),
  'item.summary.*.type': PART_TYPES,
  'item.output.type': PART_TYPES,
  'item.output.*.type': PART_TYPES,
  'item.output.*.detail': DETAILS,
  'item.output.*.outcome.type': words('timeout exit'),
  'item.outputs.*.type': words('logs image'),
  'item.action': words('generate edit auto'),
  'item.action.type': words(
    'click double_click drag keypress move screenshot scroll type wait search open_page find_in_page exec',
  ),
  'item.action.button': words('left right wheel back forward'),
  'item.action.sources.*.type': words('url'),
  'item.actions.*.type': words('click double_click drag keypress move screenshot scroll type wait'),
  'item.actions.*.button': words('left right wheel back forward'),
  'item.operation.type': words('create_file delete_file update_file'),
  'item.environment.type': words('local container_reference'),
  'item.background': words('transparent opaque auto'),
  'item.quality': words('low medium high xhigh max auto'),
  'item.output_format': words('png webp jpeg gif svg'),
  'tools.*.type': TOOL_TYPES,
  'tools.*.format.type': words('text grammar'),
  'tools.*.format.syntax': words('lark regex'),
  'tools.*.search_context_size': LEVELS,
  'tools.*.user_location.type': words('approximate'),
  'tools.*.environment': words('windows mac linux ubuntu browser'),
  'tools.*.environment.type': words('local container_auto container_reference'),
  'tools.*.container.type': words('auto'),
  'tools.*.container.memory_limit': words('1g 4g 16g 64g'),
  'tools.*.container.network_policy.type': words('allowlist disabled'),
  'tools.*.environment.network_policy.type': words('allowlist disabled'),
  'tools.*.require_approval': words('always never'),
  'tools.*.ranking_options.ranker': words('auto default-2024-11-15'),
  'tools.*.filters.type': FILTERS,
  'tools.*.background': words('transparent opaque auto'),
  'tools.*.quality': words('low medium high xhigh max auto'),
  'tools.*.output_format': words('png webp jpeg gif svg'),
  'tools.*.input_fidelity': words('high low'),
  'tools.*.moderation': words('auto low'),
  'tools.*.action': words('generate edit auto'),
  'tools.*.execution': words('server client'),
  'tools.*.allowed_callers.*': words('direct programmatic'),
  tool_choice: CHOICE_WORDS,
  'tool_choice.type': { has: (type) => type === 'allowed_tools' || TOOL_TYPES.has(type) },
  'tool_choice.mode': CHOICE_WORDS,
  'text.format.type': words('text json_object json_schema'),
  'text.verbosity': LEVELS,
  'reasoning.effort': words('none minimal low medium high xhigh max'),
  'reasoning.summary': SUMMARIES,
  'reasoning.generate_summary': SUMMARIES,
  'reasoning.context': words('auto current_turn all_turns'),
  'reasoning.mode': words('standard pro'),
  'include.*': words(
    `file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url
    computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs`,
  ),
  object: words('response'),
  truncation: words('auto disabled'),
  service_tier: TIERS,
  prompt_cache_retention: CACHE_TIMES,
  'prompt_cache_options.mode': words('implicit explicit'),
  'prompt_cache_options.ttl': CACHE_TIMES,
  'context_management.*.type': words('compaction'),
  status: STATUSES,
  'incomplete_details.reason': INCOMPLETE_REASONS,
};

const SCHEMA_ROOT = /^(tools\.\*\.(parameters|output_schema|input_schema)|text\.format\.schema)\./;
const SCHEMA_TYPES = words('array boolean integer null number object string');

/** The values at this place that need no check. */
export function vocabularyOf(place: string): Vocabulary {
  const listed = VOCABULARIES[place];
  if (listed !== undefined) return listed;
  return place.endsWith('.type') && SCHEMA_ROOT.test(place) ? SCHEMA_TYPES : NO_WORDS;
}

const QUANTITIES = new RegExp(
  `^(${[
    'max_output_tokens|max_tool_calls|temperature|top_p|top_logprobs|usage\\..*',
    'context_management\\.\\*\\.compact_threshold',
    'tools\\.\\*\\.(max_num_results|partial_images|output_compression|display_width|display_height)',
    'tools\\.\\*\\.ranking_options\\.(score_threshold|hybrid_search\\.(embedding|text)_weight)',
    'item\\.(action|actions\\.\\*)\\.(x|y|scroll_x|scroll_y|timeout_ms|max_output_length|path\\.\\*\\.[xy])',
    'item\\.(max_output_length|output\\.\\*\\.outcome\\.exit_code|results\\.\\*\\.score)',
    'item\\.content\\.\\*\\.annotations\\.\\*\\.(start_index|end_index|index)',
  ].join('|')})$`,
);

export function isQuantity(place: string): boolean {
  return QUANTITIES.test(place);
}
