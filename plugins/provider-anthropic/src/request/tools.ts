import type { ChatRequest, JsonObject } from '@svc/sdk';
import { isObject, toolPath } from '@svc/toolkit/upstream';

/** `tools` and `tool_choice` of the Messages API, and the parameters that are not honoured completely. */
interface Tools {
  readonly body: JsonObject;
  readonly unsupported: readonly string[];
}

/** The types of Anthropic's own tools end with the date of their version. */
const NATIVE = /_\d{8}$/;

function toolOf(tool: unknown): JsonObject | null {
  if (!isObject(tool)) return null;
  if (typeof tool.type === 'string' && NATIVE.test(tool.type)) return tool;
  if (tool.type !== 'function' || !isObject(tool.function)) return null;
  const { name, description, parameters, strict } = tool.function;
  return {
    name: name ?? null,
    ...(typeof description === 'string' && { description }),
    input_schema: { type: 'object', ...(isObject(parameters) && parameters) },
    ...(strict === true && { strict }),
    ...(isObject(tool.cache_control) && { cache_control: tool.cache_control }),
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

/** Translates the tools of a request: functions, and the API's own. Others are dropped. */
export function toolsOf({ tools, tool_choice, parallel_tool_calls }: ChatRequest): Tools {
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const translated = given.map(toolOf);
  const known = translated.filter((tool) => tool !== null);
  const unsupported = given.filter((_, index) => translated[index] === null).map(toolPath);
  if (known.length === 0) {
    const idle = tool_choice === undefined || tool_choice === null || tool_choice === 'none' || tool_choice === 'auto';
    return { body: {}, unsupported: idle ? unsupported : [...unsupported, 'tool_choice'] };
  }
  const understood = choiceOf(tool_choice);
  const choice = understood ?? { type: 'auto' };
  const single = parallel_tool_calls === false && choice.type !== 'none';
  const says = single || choice.type !== 'auto';
  return {
    body: { tools: known, ...(says && { tool_choice: { ...choice, ...(single && { disable_parallel_tool_use: true }) } }) },
    unsupported: understood === null ? [...unsupported, 'tool_choice'] : unsupported,
  };
}
