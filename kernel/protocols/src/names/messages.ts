import { VENDOR_TOOLS } from '@svc/contracts';
import { words } from '../common/words.ts';

/** Field and type names of Anthropic's Messages API that may appear in paths and events. */
export const MESSAGES_NAMES = words(
  `model messages role content system type text id name input max_tokens stop_sequences stream temperature top_p top_k
  tools tool_choice description input_schema strict input_examples eager_input_streaming defer_loading allowed_callers custom tool
  disable_parallel_tool_use max_uses allowed_domains blocked_domains max_content_tokens max_characters use_cache user_location
  city country region timezone display_width_px display_height_px display_number enable_zoom mcp_server_name configs default_config enabled
  metadata user_id service_tier inference_geo speed container skills skill_id version mcp_servers url authorization_token
  tool_configuration allowed_tools thinking budget_tokens display output_config effort format schema task_budget total remaining
  output_format context_management edits trigger value keep clear_at_least clear_tool_inputs exclude_tools instructions
  pause_after_compaction applied_edits cleared_input_tokens cleared_tool_uses cleared_thinking_turns betas anthropic_beta anthropic_version
  diagnostics previous_message_id cache_miss_reason fallbacks
  cache_control ttl ephemeral source media_type data file_id file base64 title context citations cited_text citation
  document_index document_title start_char_index end_char_index start_page_number end_page_number start_block_index end_block_index
  search_result_index encrypted_index page_age encrypted_content encrypted_stdout retrieved_at
  image document search_result redacted_thinking signature tool_use tool_use_id tool_result is_error server_tool_use caller server_name
  web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
  text_editor_code_execution_tool_result tool_search_tool_result mcp_tool_use mcp_tool_result mcp_tool_listing advisor_tool_result
  tool_references tool_reference tool_name container_upload compaction fallback mid_conv_system tool_addition tool_removal
  error_code stdout stderr return_code file_type num_lines start_line total_lines is_file_update lines old_start old_lines new_start new_lines
  message events content_block delta index partial_json usage stop_reason stop_sequence stop_details category explanation expires_at
  input_tokens output_tokens cache_creation cache_creation_input_tokens cache_read_input_tokens ephemeral_5m_input_tokens
  ephemeral_1h_input_tokens output_tokens_details thinking_tokens iterations web_search_requests web_fetch_requests error svc_left_out
  properties items required enum additionalProperties anyOf oneOf allOf const default pattern minimum maximum minLength maxLength
  minItems maxItems $ref $defs ${VENDOR_TOOLS}`,
);
