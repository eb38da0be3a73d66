import { VENDOR_TOOLS } from '@svc/contracts';
import { namesIn } from '../names.ts';

/** Names of the Messages API that may be told in events and headers. */
export const MESSAGES_NAMES =
  namesIn(`messages system content text tools tool_choice thinking redacted_thinking signature tool_use tool_result is_error
  image document source file url title context citations cache_control search_result container_upload mid_conv_system
  server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result
  text_editor_code_execution_tool_result tool_search_tool_result mcp_tool_use mcp_tool_result compaction
  top_k metadata user_id service_tier output_config effort format context_management mcp_servers container inference_geo speed betas
  ${VENDOR_TOOLS}
  custom strict defer_loading allowed_callers eager_input_streaming input_examples type name caller output_format diagnostics`);
