import { VENDOR_TOOLS } from '@svc/contracts';
import { namesIn } from '../names.ts';

/** Names of the Responses API that may be told in events and headers. */
export const RESPONSES_NAMES =
  namesIn(`input instructions content output annotations logprobs summary encrypted_content name caller async phase
  reasoning effort generate_summary mode context text format verbosity tools tool_choice
  include metadata client_metadata truncation top_logprobs max_tool_calls context_management prompt_cache_options access_programs
  moderation image conversation prompt background store stream_options include_obfuscation
  input_image input_file input_audio image_url file_url file_id file_data filename detail prompt_cache_breakpoint
  description parameters strict output_schema defer_loading allowed_callers
  ${VENDOR_TOOLS}
  file_search_call computer_call computer_call_output web_search_call tool_search_call tool_search_output additional_tools
  configuration_update compaction compaction_trigger image_generation_call code_interpreter_call local_shell_call local_shell_call_output
  shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call
  item_reference program program_output namespace function custom`);
