import { type ChatRequest, isObject, type JsonObject, withoutDate } from '@svc/contracts';
import { choiceIn } from '../../common/chat-fields.ts';
import type { Lost } from '../../common/lost.ts';
import { isVendorTool } from './vendor-tool.ts';

/** `tools` and `tool_choice` for the Messages API: functions, and the API's own tools. Other tools are reported as lost. */
export function toolsFromChat({ tools, tool_choice, parallel_tool_calls }: ChatRequest, lost: Lost): JsonObject {
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const known = given.flatMap((tool) => toolOf(tool, lost) ?? []);
  const choice = choiceIn(tool_choice);
  if (known.length === 0) {
    if (choice !== 'auto' && choice !== 'none') lost.note('', 'tool_choice');
    return {};
  }
  if (choice === null) lost.note('', 'tool_choice');
  const chosen: JsonObject = isObject(choice)
    ? { type: 'tool', ...choice }
    : { type: choice === 'required' ? 'any' : (choice ?? 'auto') };
  const single = parallel_tool_calls === false && chosen.type !== 'none';
  const says = single || chosen.type !== 'auto';
  return {
    tools: known,
    ...(says && { tool_choice: { ...chosen, ...(single && { disable_parallel_tool_use: true }) } }),
  };
}

function toolOf(tool: unknown, lost: Lost): JsonObject | null {
  if (isObject(tool) && isVendorTool(tool.type)) return tool;
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) {
    if (isObject(tool) && typeof tool.type === 'string') lost.note('tools', withoutDate(tool.type));
    else lost.note('', 'tools');
    return null;
  }
  const { type: _, function: called, cache_control, ...rest } = tool;
  const { name, description, parameters, strict, ...fields } = called;
  lost.noteAll('tools', rest);
  lost.noteAll('tools.function', fields);
  return {
    name: name ?? null,
    ...(typeof description === 'string' && { description }),
    input_schema: { type: 'object', ...(isObject(parameters) && parameters) },
    ...(strict === true && { strict }),
    ...(isObject(cache_control) && { cache_control }),
  };
}
