import {
  type Bridged,
  type ChatMessage,
  type ChatRequest,
  isObject,
  type JsonObject,
  type JsonValue,
  type ToolCall,
} from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { badField, objectsIn, present, RESPONSES, words } from '@svc/protocols';
import { readChat } from './chat.ts';
import type { DoorRequest } from './door.ts';
import { FunctionCallsWriter } from './function-calls.ts';

type Body = ChatRequest & JsonObject;

/**
 * A chat request, including those in Cursor's form: Cursor posts a request of the Responses API here, or a chat whose tools are in the form of that
 * API, and expects an answer in the chat format.
 * @throws {SvcError} SVC-REQ-001
 */
export function readAnyChat(asked: ChatRequest, route: Pick<RuntimeRoute, 'vendor_tools'>): DoorRequest {
  const body = asked as Body;
  const isInput = body.input != null && (body.messages == null || body.messages.length === 0);
  if (!isInput && !objectsIn(body.tools).some(isFlat)) return readChat(asked, route);
  const { request, lost } = isInput ? fromInput(body) : withNested(body);
  const read = readChat({ ...request, messages: request.messages.map(callingCustom(request)) }, route);
  return {
    ...read,
    unsupported: [...new Set([...read.unsupported, ...lost])],
    writer: new FunctionCallsWriter(read.writer),
  };
}

interface Chat {
  readonly request: ChatRequest;
  readonly lost: readonly string[];
}

/** Parameters of the chat format that stay as they are, because clients mix both APIs. */
const OF_CHATS = words(
  `max_tokens max_completion_tokens reasoning_effort verbosity response_format metadata stop seed n presence_penalty frequency_penalty
  logit_bias stream stream_options`,
);

function fromInput({ messages: _, ...body }: Body): Chat {
  if (body.stream != null && typeof body.stream !== 'boolean') throw badField('body/stream', 'must be boolean or null');
  const fields = Object.entries(body);
  const own = fields.filter(([name, value]) => OF_CHATS.has(name) && value != null);
  const { body: chat, lost } = bridged({
    ...Object.fromEntries(fields.filter(([name]) => !OF_CHATS.has(name))),
    model: body.model,
  });
  return { request: { ...chat, ...Object.fromEntries(own) }, lost };
}

/** A chat whose tools are in the form of the chat format. */
function withNested(body: Body): Chat {
  const { model, tools, tool_choice, parallel_tool_calls } = body;
  const { body: chat, lost } = bridged({ ...present({ tools, tool_choice, parallel_tool_calls }), model, input: '-' });
  const { messages: _, ...changed } = chat;
  return { request: { ...body, ...changed }, lost };
}

/** Leaves anything in the chat format unchanged. */
function bridged({ tools, tool_choice, ...body }: JsonObject & { readonly model: string }): Bridged<ChatRequest> {
  const { bridge } = RESPONSES;
  if (bridge === null) throw new Error('the Responses API has a bridge');
  const given = Array.isArray(tools) ? tools : [];
  const others = Array.isArray(tools) ? { tools: tools.filter((tool) => !isNested(tool)) } : present({ tools });
  const choice = chosen(tool_choice);
  const toBridge = choice === undefined ? present({ tool_choice }) : {};
  const { body: chat, lost } = bridge.requestToChat({ ...body, ...others, ...toBridge });
  const all = [...given.filter(isNested), ...objectsIn(chat.tools)];
  if (all.length === 0) return { body: chat, lost };
  const { parallel_tool_calls } = body;
  return { body: { ...chat, tools: all, ...present({ tool_choice: choice, parallel_tool_calls }) }, lost };
}

function isCallers(type: unknown): type is 'function' | 'custom' {
  return type === 'function' || type === 'custom';
}

/** Whether a tool of the caller, or the choice of one, is in the form of the chat format. */
function isNested(value: unknown): boolean {
  return isObject(value) && isCallers(value.type) && isObject(value[value.type]);
}

/** Whether a tool of the caller is in the form of the Responses API. */
function isFlat(tool: JsonObject): boolean {
  return isCallers(tool.type) && typeof tool.name === 'string' && !isNested(tool);
}

/** A choice whose form does not depend on that of the tools. Cursor writes `{"type": "auto"}`. */
function chosen(choice: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(choice)) return choice ?? undefined;
  const { type, name, namespace } = choice;
  if (type === 'auto' || type === 'none' || type === 'required') return type;
  if (isNested(choice)) return choice;
  return isCallers(type) && typeof name === 'string' && namespace == null ? { type, [type]: { name } } : undefined;
}

/** Such a client sends back a custom tool call of an earlier turn as a function call, because that is how it received it. */
function callingCustom({ tools }: ChatRequest): (message: ChatMessage) => ChatMessage {
  const names = objectsIn(tools).map(({ custom }) => (isObject(custom) ? custom.name : undefined));
  const custom = new Set(names.filter((name) => typeof name === 'string'));
  const asCustom = (call: ToolCall): ToolCall => {
    if (call.function === undefined || !custom.has(call.function.name)) return call;
    const { function: called, ...rest } = call;
    return { ...rest, type: 'custom', custom: { name: called.name, input: called.arguments } };
  };
  return (message) =>
    custom.size === 0 || !Array.isArray(message.tool_calls)
      ? message
      : { ...message, tool_calls: message.tool_calls.map(asCustom) };
}
