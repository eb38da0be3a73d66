/**
 * Types of the vendors' own tools (OpenAI's and Anthropic's), without version dates, separated by white space. Events and headers contain no other
 * types, because a caller may write any text as a type.
 */
export const VENDOR_TOOLS = `web_search web_search_preview file_search computer computer_use_preview mcp code_interpreter image_generation
  local_shell shell apply_patch tool_search programmatic_tool_calling
  web_fetch code_execution bash text_editor memory tool_search_tool_regex tool_search_tool_bm25 mcp_toolset`;

/** A tool's type without its version date: `web_search` for `web_search_20250305`. Empty if the type is not a string. */
export function withoutDate(type: unknown): string {
  return typeof type === 'string' ? type.replace(VERSION, '') : '';
}
/** A date in this century; other digits may mean anything. */
const VERSION = /_20\d\d(_?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])$/;
