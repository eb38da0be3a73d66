import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { ChatMessage } from '@svc/sdk';
import { JsonCounter } from '@svc/sdk/json';
import { functionCallOf, objectArguments, unsupported } from '@svc/sdk/protocol';
import type { ToolCall } from '@svc/sdk/provider';
import { type Part, partsOf, textsOf } from './parts.ts';

type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Fields of a message that are converted, by role. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  assistant: ['role', 'content', 'reasoning_content', 'tool_calls', 'refusal'],
  tool: ['role', 'content', 'tool_call_id'],
};

function losesHints(message: ChatMessage): boolean {
  const known = FIELDS[message.role] ?? ['role', 'content'];
  return Object.entries(message).some(([field, value]) => !known.includes(field) && !isEmpty(value));
}

function resultOf(parts: readonly Part[]): LanguageModelV4ToolResultOutput {
  if (parts.some(({ type }) => type !== 'text')) return { type: 'content', value: [...parts] };
  return {
    type: 'text',
    value: textsOf(parts, 'a tool result')
      .map(({ text }) => text)
      .join(''),
  };
}

/** Converts the messages of a request, in order. */
class PromptWriter {
  readonly prompt: LanguageModelV4Prompt = [];
  hintsLost = false;
  /** Tool names by call id. */
  readonly #called = new Map<string, string>();
  /** Limits the arguments of all calls together. */
  readonly #counter = new JsonCounter();

  add(message: ChatMessage): void {
    const { parts, hintsLost } = partsOf(message.content);
    this.hintsLost ||= hintsLost || losesHints(message);
    switch (message.role) {
      case 'system':
      case 'developer':
        for (const { text } of textsOf(parts, 'instructions that are not text')) this.#push({ role: 'system', content: text });
        break;
      case 'user':
        this.#push({ role: 'user', content: parts });
        break;
      case 'assistant':
        this.#push({ role: 'assistant', content: this.#assistantParts(message, parts) });
        break;
      case 'tool':
        this.#addResult(message, parts);
        break;
      default:
        throw unsupported('a role that the specification does not support');
    }
  }

  #push(message: LanguageModelV4Message): void {
    if (message.content.length > 0) this.prompt.push(message);
  }

  #assistantParts(message: ChatMessage, parts: readonly Part[]): AssistantPart[] {
    const { reasoning_content: thought, refusal, tool_calls, function_call } = message;
    if (!isEmpty(function_call)) throw unsupported('a function_call, which tool_calls replaced');
    const said = textsOf([...parts, ...partsOf(refusal).parts], 'an answer that is not text');
    const reasoning: LanguageModelV4ReasoningPart[] =
      typeof thought === 'string' && thought !== '' ? [{ type: 'reasoning', text: thought }] : [];
    return [...reasoning, ...said, ...(tool_calls ?? []).map((call) => this.#toolCall(call))];
  }

  #toolCall(call: ToolCall): LanguageModelV4ToolCallPart {
    const called = functionCallOf(call);
    if (called === null) throw unsupported('a tool call that does not call a function');
    const { id, name } = called;
    this.#called.set(id, name);
    return { type: 'tool-call', toolCallId: id, toolName: name, input: objectArguments(called, this.#counter) };
  }

  /** Adds a tool result. All results of a turn share one message, because some models require as many results in it as there were calls. */
  #addResult({ tool_call_id: id }: ChatMessage, parts: readonly Part[]): void {
    const toolName = typeof id === 'string' ? this.#called.get(id) : undefined;
    if (typeof id !== 'string' || toolName === undefined) throw unsupported('a tool result without a matching tool call');
    const result: LanguageModelV4ToolResultPart = { type: 'tool-result', toolCallId: id, toolName, output: resultOf(parts) };
    const last = this.prompt.at(-1);
    if (last?.role === 'tool') last.content.push(result);
    else this.prompt.push({ role: 'tool', content: [result] });
  }
}

/**
 * A conversation in the specification's form. `hintsLost`: something other than texts, files, reasoning and tool calls was lost.
 * @throws {ProviderError} `invalid_request` for messages that the specification cannot express
 */
export function promptOf(messages: readonly ChatMessage[]): { prompt: LanguageModelV4Prompt; hintsLost: boolean } {
  const writer = new PromptWriter();
  for (const message of messages) writer.add(message);
  if (writer.prompt.length === 0) throw unsupported('a conversation without messages');
  return writer;
}
