import { type ChatRequest, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';

/** The tools and tool choice of a request. Vendors' own tools have the same form in both APIs. */
export function toolFields({ tools, tool_choice }: ChatRequest, lost: Lost): JsonObject {
  return {
    ...(tools != null && { tools: objectsIn(tools).map((tool) => toolOf(tool, lost)) }),
    ...(tool_choice != null && { tool_choice: choiceOf(tool_choice as JsonValue, lost) }),
  };
}

function toolOf(tool: JsonObject, lost: Lost): JsonObject {
  const { type, function: called, custom, ...rest } = tool;
  if (type === 'function' && isObject(called)) {
    lost.noteAll('tools', rest);
    // `strict` defaults to true in this API, and to false in the chat format.
    return { type, parameters: null, ...called, strict: called.strict ?? false };
  }
  if (type === 'custom' && isObject(custom)) {
    lost.noteAll('tools', rest);
    const { format, ...fields } = custom;
    return { type, ...fields, ...(isObject(format) && { format: formatOf(format, lost) }) };
  }
  return tool;
}

/** In the chat format, the grammar is one level deeper. */
function formatOf({ type, grammar, ...rest }: JsonObject, lost: Lost): JsonObject {
  lost.noteAll('tools.custom.format', rest);
  return { type: type ?? 'text', ...(isObject(grammar) && grammar) };
}

function choiceOf(choice: JsonValue, lost: Lost): JsonValue {
  if (!isObject(choice)) return choice;
  const { type, function: called, custom, allowed_tools, ...rest } = choice;
  if (isObject(called) || isObject(custom) || isObject(allowed_tools)) lost.noteAll('tool_choice', rest);
  if (isObject(called)) return { type: 'function', name: called.name ?? '' };
  if (isObject(custom)) return { type: 'custom', name: custom.name ?? '' };
  if (!isObject(allowed_tools)) return choice;
  return {
    type: type ?? 'allowed_tools',
    mode: allowed_tools.mode ?? 'auto',
    tools: objectsIn(allowed_tools.tools).map((tool) => choiceOf(tool, lost)),
  };
}
