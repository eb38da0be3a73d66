import { VENDOR_TOOLS } from '@svc/contracts';
import { words } from '../common/words.ts';

/** Item types in requests and answers. */
export const ITEM_TYPES = words(
  `message function_call function_call_output custom_tool_call custom_tool_call_output reasoning item_reference compaction compaction_trigger
  local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output web_search_call file_search_call
  computer_call computer_call_output code_interpreter_call image_generation_call mcp_list_tools mcp_approval_request mcp_approval_response mcp_call
  tool_search_call tool_search_output additional_tools configuration_update program program_output`,
);

/** Field names that may appear in paths and events. Any other key was chosen by a caller or a model and appears as a number. */
const FIELDS = `access_programs acknowledged_safety_checks action actions allowed_callers allowed_domains allowed_tools always annotation
  annotation_index annotations approval_request_id approve arguments async attributes audio authorization background bytes button
  cache_missed_tokens cache_write_tokens cached_tokens call_id caller caller_id city client_metadata code command command_index commands
  compact_threshold completed_at connector_id container container_id content content_index context context_management conversation country
  created_at created_by data defer_loading definition delta description detail diff display_height display_width domain domain_secrets effort
  embedding_weight encrypted_content end_index env environment error events execution exit_code external_web_access file_data file_id file_ids file_url
  filename filters fingerprint format function generate generate_summary grammar headers hybrid_search id image image_url include
  include_obfuscation incomplete_details index input input_audio input_fidelity input_image_mask input_schema input_tokens input_tokens_details
  instructions item item_id keys logprob logprobs logs max_num_results max_output_length max_output_tokens max_tool_calls media_type memory_limit
  message metadata mode model moderation name namespace network_policy never num_requests obfuscation object operation outcome output
  output_compression output_format output_index output_schema output_text output_tokens output_tokens_details outputs parallel_tool_calls param
  parameters part partial_image_b64 partial_image_index partial_images path pattern pending_safety_checks phase policy previous_response_id prompt
  prompt_cache_breakpoint prompt_cache_key prompt_cache_options prompt_cache_retention quality queries query ranker ranking_options read_only
  reason reasoning reasoning_tokens refusal region require_approval response result results revised_prompt role safety_identifier schema score
  score_threshold scroll_x scroll_y search_content_types search_context_size sequence_number server_description server_label server_url
  service_tier size skill_id skills source sources start_index status stderr stdout store stream stream_options strict summary summary_index syntax
  temperature text text_weight timeout_ms timezone title token tool_choice tool_names tools top_logprobs top_p total_tokens transcript truncation
  ttl tunnel_id type url usage user user_location value variables vector_store_ids verbosity version working_directory x y
  svc_left_out svc_unsupported`;

/** Keywords of JSON Schema. */
const SCHEMA = `properties items required enum additionalProperties anyOf oneOf allOf const default title format pattern minimum maximum minLength
  maxLength minItems maxItems $ref $defs`;

export const RESPONSES_NAMES: ReadonlySet<string> = words(`${FIELDS} ${SCHEMA}`);

/** Types of parts, items and tools that may appear in the paths of lost fields. */
const TYPES = words(`input_text input_image input_file input_audio function custom namespace ${VENDOR_TOOLS}`);

export function isResponsesName(name: string): boolean {
  return RESPONSES_NAMES.has(name) || ITEM_TYPES.has(name) || TYPES.has(name);
}
