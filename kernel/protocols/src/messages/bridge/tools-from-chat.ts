import { type ChatRequest, isObject, type JsonObject, withoutDate } from '@svc/contracts';
import type { Lost } from '../../common/lost.ts';
import { isVendorTool } from './vendor-tool.ts';

/** `tools` and `tool_choice` of the Messages API: functions, and the API's own. Others are noted. */
export function toolsFromChat({ tools, tool_choice, parallel_tool_calls }: ChatRequest, lost: Lost): JsonObject {
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const known = given.flatMap((tool) => toolOf(tool, lost) ?? []);
  const choice = choiceOf(tool_choice);
  if (known.length === 0) {
    if (choice?.type !== 'auto' && choice?.type !== 'none') lost.note('', 'tool_choice');
    return {};
  }
  if (choice === null) lost.note('', 'tool_choice');
  const chosen = choice ?? { type: 'auto' };
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

/** @returns null for a choice that the API does not have */
function choiceOf(choice: unknown): JsonObject | null {
  switch (choice) {
    case undefined:
    case null:
    case 'auto':
      return { type: 'auto' };
    case 'required':
      return { type: 'any' };
    case 'none':
      return { type: 'none' };
    default:
      return isObject(choice) && choice.type === 'function' && isObject(choice.function)
        ? { type: 'tool', name: choice.function.name ?? null }
        : null;
  }
}
