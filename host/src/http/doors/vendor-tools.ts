/** Types of tools that run at the caller. Every other one runs at a vendor, where no guard sees what it is asked and what it finds. */
const CALLERS: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** Types of vendors' tools, and fields that ask for one, that may be told in events and headers. */
export const VENDOR_TOOLS = `web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11 file_search computer
  computer_use_preview mcp code_interpreter image_generation local_shell shell apply_patch tool_search programmatic_tool_calling web_search_options plugins`;

/** @param listed types that the route lets pass */
export function mayPass(type: unknown, listed: readonly string[]): boolean {
  return CALLERS.has(type) || (typeof type === 'string' && listed.includes(type));
}
