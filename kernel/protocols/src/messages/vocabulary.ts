import { VENDOR_TOOLS, type Vocabulary, withoutDate } from '@svc/contracts';
import { NO_WORDS, words } from '../common/words.ts';

/** Values of the Messages API that mean the same in every body, so guards need not check them. Any other value counts as text. */
const VENDOR_TYPES = words(VENDOR_TOOLS);
const TOOL_TYPES: Vocabulary = { has: (type) => type === 'custom' || VENDOR_TYPES.has(withoutDate(type)) };
const CACHE_TYPES = words('ephemeral');
const CACHE_TIMES = words('5m 1h');
const EFFORTS = words('low medium high xhigh max');
const FORMATS = words('json_schema');
const SCHEMA_TYPES = words('array boolean integer null number object string');
const ERROR_CODES = words(
  `invalid_tool_input unavailable too_many_requests execution_time_exceeded output_file_too_large file_not_found max_uses_exceeded
  query_too_long request_too_large url_too_long url_not_allowed url_not_accessible unsupported_content_type prompt_too_long overloaded`,
);

type Vocabularies = Readonly<Record<string, Vocabulary>>;

export const STOP_REASONS = words(
  'end_turn max_tokens stop_sequence tool_use pause_turn compaction refusal model_context_window_exceeded',
);

/** The vocabularies in whole bodies. `*` stands for an array index. */
const IN_BODY: Readonly<Record<'request' | 'answer' | 'frame', Vocabularies>> = {
  request: {
    'messages.*.role': words('user assistant system'),
    'tools.*.type': TOOL_TYPES,
    'tools.*.cache_control.type': CACHE_TYPES,
    'tools.*.cache_control.ttl': CACHE_TIMES,
    'tools.*.user_location.type': words('approximate'),
    'tool_choice.type': words('auto any tool none'),
    'thinking.type': words('enabled adaptive between_tools disabled'),
    'thinking.display': words('summarized omitted updates'),
    'cache_control.type': CACHE_TYPES,
    'cache_control.ttl': CACHE_TIMES,
    'output_config.effort': EFFORTS,
    'output_config.format.type': FORMATS,
    'output_config.task_budget.type': words('tokens'),
    'output_format.type': FORMATS,
    'context_management.edits.*.type': words('clear_tool_uses_20250919 clear_thinking_20251015 compact_20260112'),
    'context_management.edits.*.keep': words('all'),
    'context_management.edits.*.keep.type': words('tool_uses thinking_turns all'),
    'context_management.edits.*.trigger.type': words('input_tokens tool_uses'),
    'context_management.edits.*.clear_at_least.type': words('input_tokens'),
    service_tier: words('auto standard_only'),
    speed: words('standard fast'),
    'mcp_servers.*.type': words('url'),
    'container.skills.*.type': words('anthropic custom'),
  },
  answer: {
    type: words('message'),
    role: words('assistant'),
    stop_reason: STOP_REASONS,
    'stop_details.type': words('refusal'),
    'stop_details.category': words('cyber bio frontier_llm reasoning_extraction general_harms'),
    'usage.service_tier': words('standard priority batch'),
    'usage.speed': words('standard fast'),
    'usage.iterations.*.type': words('message compaction advisor_message fallback_message'),
    'context_management.applied_edits.*.type': words('clear_tool_uses_20250919 clear_thinking_20251015 compact_20260112'),
    'container.skills.*.type': words('anthropic custom'),
  },
  frame: {
    type: words('message_start content_block_start content_block_delta content_block_stop message_delta message_stop ping error'),
    'delta.type': words('text_delta input_json_delta citations_delta thinking_delta signature_delta compaction_delta'),
  },
};

/** The vocabularies in a content block, wherever the block is. */
const IN_BLOCK: Vocabularies = {
  type: words(
    `text image document search_result thinking redacted_thinking tool_use tool_result server_tool_use web_search_tool_result
    web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result
    tool_search_tool_result mcp_tool_use mcp_tool_result mcp_tool_listing advisor_tool_result container_upload compaction fallback
    mid_conv_system tool_reference web_search_result web_fetch_result code_execution_result code_execution_output
    bash_code_execution_result bash_code_execution_output encrypted_code_execution_result tool_search_tool_search_result advisor_result
    advisor_redacted_result text_editor_code_execution_view_result text_editor_code_execution_create_result
    text_editor_code_execution_str_replace_result web_search_tool_result_error web_fetch_tool_result_error
    code_execution_tool_result_error bash_code_execution_tool_result_error text_editor_code_execution_tool_result_error
    tool_search_tool_result_error advisor_tool_result_error`,
  ),
  'source.type': words('base64 text content url file'),
  'source.media_type': words('image/jpeg image/png image/gif image/webp application/pdf text/plain'),
  'cache_control.type': CACHE_TYPES,
  'cache_control.ttl': CACHE_TIMES,
  'citations.*.type': words(
    'char_location page_location content_block_location web_search_result_location search_result_location',
  ),
  'caller.type': { has: (type) => type === 'direct' || withoutDate(type) === 'code_execution' },
  'tool_references.*.type': words('tool_reference'),
  error_code: ERROR_CODES,
  file_type: words('text image pdf'),
};

/** @param block place in the content block; null if it is not in a block */
export function vocabularyOf(of: 'request' | 'answer' | 'frame', pattern: string, block: string | null): Vocabulary {
  const listed = block === null ? IN_BODY[of][pattern] : IN_BLOCK[block];
  if (listed !== undefined) return listed;
  return pattern.endsWith('.type') && SCHEMA.test(block ?? pattern) ? SCHEMA_TYPES : NO_WORDS;
}

const SCHEMA = /^(?:tools\.\*\.input_schema|output_config\.format\.schema|output_format\.schema)\./;
