import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider';
import type { ChatRequest } from '@svc/sdk';
import { choiceIn } from '@svc/sdk/protocol';
import { isObject, toolPath } from '@svc/toolkit/upstream';

/** The tool options of a call, and the parameters that are not fully honoured. */
interface Tools {
  readonly options: Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>;
  readonly unsupported: readonly string[];
}

function toolOf(tool: unknown): LanguageModelV4FunctionTool | null {
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) return null;
  const { name, description, parameters, strict } = tool.function;
  if (typeof name !== 'string') return null;
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: { type: 'object', properties: {}, ...(isObject(parameters) && parameters) },
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function toolChoiceOf(choice: ReturnType<typeof choiceIn>): LanguageModelV4ToolChoice {
  return typeof choice === 'object' && choice !== null ? { type: 'tool', toolName: choice.name } : { type: choice ?? 'auto' };
}

/** Converts the tools of a request. Drops tools that are not functions. */
export function toolsOf({ tools, tool_choice, parallel_tool_calls }: ChatRequest): Tools {
  const given: unknown[] = Array.isArray(tools) ? tools : [];
  const translated = given.map(toolOf);
  const known = translated.filter((tool) => tool !== null);
  const choice = choiceIn(tool_choice);
  const isChoiceLost = choice === null || (known.length === 0 && choice !== 'auto' && choice !== 'none');
  const unsupported = [
    ...given.filter((_, index) => translated[index] === null).map(toolPath),
    ...(isChoiceLost ? ['tool_choice'] : []),
    ...(parallel_tool_calls === false && known.length > 0 ? ['parallel_tool_calls'] : []),
  ];
  return { options: known.length === 0 ? {} : { tools: known, toolChoice: toolChoiceOf(choice) }, unsupported };
}
