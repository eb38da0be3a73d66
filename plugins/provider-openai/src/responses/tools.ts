import type { ChatRequest, JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import { objectsIn } from '../chat/json-shapes.ts';

/** The tools of a request and which of them is chosen. What a vendor runs itself is the same in both forms. */
export function toolFields({ tools, tool_choice }: ChatRequest): JsonObject {
  return {
    ...(tools != null && { tools: objectsIn(tools as JsonValue).map(toolOf) }),
    ...(tool_choice != null && { tool_choice: choiceOf(tool_choice as JsonValue) }),
  };
}

function toolOf(tool: JsonObject): JsonObject {
  const { type, function: called, custom } = tool;
  // Left out, `strict` is true here and false in the chat format.
  if (type === 'function' && isObject(called)) return { type, parameters: null, ...called, strict: called.strict ?? false };
  if (type === 'custom' && isObject(custom)) {
    const { format, ...rest } = custom;
    return { type, ...rest, ...(isObject(format) && { format: formatOf(format) }) };
  }
  return tool;
}

/** A grammar lies one level deeper in the chat format. */
function formatOf({ type, grammar }: JsonObject): JsonObject {
  return { type: type ?? 'text', ...(isObject(grammar) && grammar) };
}

function choiceOf(choice: JsonValue): JsonValue {
  if (!isObject(choice)) return choice;
  const { type, function: called, custom, allowed_tools } = choice;
  if (isObject(called)) return { type: 'function', name: called.name ?? '' };
  if (isObject(custom)) return { type: 'custom', name: custom.name ?? '' };
  if (!isObject(allowed_tools)) return choice;
  return {
    type: type ?? 'allowed_tools',
    mode: allowed_tools.mode ?? 'auto',
    tools: objectsIn(allowed_tools.tools).map(choiceOf),
  };
}
