import {
  type Bridged,
  type ChatRequest,
  isObject,
  type JsonObject,
  type JsonValue,
  type RequestBody,
  SvcError,
} from '@svc/contracts';
import { arrayAt, badField, objectAt, textAt } from '../../common/bad-field.ts';
import { isGatewayField } from '../../common/gateway-fields.ts';
import { present } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { words } from '../../common/words.ts';
import { isResponsesName } from '../../names/responses.ts';
import { ItemsToChat } from './items-to-chat.ts';
import { ToolsToChat } from './tools-to-chat.ts';

/** Fields that refer to data stored at a vendor. */
const ELSEWHERE = {
  conversation: 'is not supported: the gateway does not store conversations; send the whole conversation as input',
  prompt: 'is not supported: the template is stored at the provider; send its text as instructions',
  previous_response_id: 'is not supported: the conversation is stored at the provider; send the whole conversation as input',
} as const;

/** Fields that are converted or need no conversion. */
const TAKEN = words(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text max_output_tokens temperature top_p service_tier user
  safety_identifier prompt_cache_key prompt_cache_retention stream stream_options store include background`,
);

/** Fields with the same name in both APIs. */
const SAME = ['temperature', 'top_p', 'service_tier', 'user', 'safety_identifier', 'prompt_cache_key', 'prompt_cache_retention'];

export const ENCRYPTED = 'reasoning.encrypted_content';

/**
 * A request in the chat format.
 * @throws {SvcError} SVC-REQ-001
 */
export function requestToChat(asked: RequestBody): Bridged<ChatRequest> {
  const body = asked as RequestBody & JsonObject;
  for (const [name, why] of Object.entries(ELSEWHERE)) if (body[name] != null) throw badField(`body/${name}`, why);
  if (body.background === true)
    throw new SvcError('SVC-REQ-001', 'body/background is not supported here; send background work to /v1/runs');
  const lost = new Lost(isResponsesName);
  const wanted = body.include == null ? [] : arrayAt(body.include, 'body/include');
  if (wanted.some((name) => name !== ENCRYPTED)) lost.note('', 'include');
  lost.noteAll('', Object.fromEntries(Object.entries(body).filter(([name]) => !TAKEN.has(name) && !isGatewayField(name))));
  const tools = new ToolsToChat(lost);
  if (body.tools != null) tools.take(body.tools, 'body/tools');
  tools.choose(body.tool_choice);
  const items = new ItemsToChat(lost, tools);
  if (body.instructions != null) items.messages.push({ role: 'system', content: textAt(body.instructions, 'body/instructions') });
  items.take(body.input);
  if (items.messages.length === 0) throw badField('body/input', 'must contain at least one message');
  const chat = {
    model: body.model,
    messages: items.messages,
    ...tools.fields(body.parallel_tool_calls),
    ...textFields(body.text, lost),
    ...reasoningFields(body.reasoning, lost),
    ...present({ max_completion_tokens: body.max_output_tokens }),
    ...present(Object.fromEntries(SAME.map((name) => [name, body[name]]))),
    ...streamFields(body, lost),
  } as ChatRequest;
  return { body: chat, lost: lost.paths };
}

/** Usage need not be requested, because the last frame always has it. */
function streamFields({ stream, stream_options }: JsonObject, lost: Lost): JsonObject {
  const { include_obfuscation, ...rest } = isObject(stream_options) ? stream_options : {};
  lost.noteAll('stream_options', rest);
  if (stream !== true) return {};
  return { stream, stream_options: { include_usage: true, ...present({ include_obfuscation }) } };
}

function textFields(text: JsonValue | undefined, lost: Lost): JsonObject {
  if (text == null) return {};
  const { format, verbosity, ...rest } = objectAt(text, 'body/text');
  lost.noteAll('text', rest);
  return present({ response_format: chatFormat(format), verbosity });
}

/** In the chat format, the schema is one level deeper, and text is the default. */
function chatFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || format.type !== 'json_schema') return isObject(format) && format.type === 'text' ? null : format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

function reasoningFields(reasoning: JsonValue | undefined, lost: Lost): JsonObject {
  if (reasoning == null) return {};
  const { effort, summary, ...rest } = objectAt(reasoning, 'body/reasoning');
  lost.noteAll('reasoning', rest);
  return present({ reasoning_effort: effort, reasoning_summary: summary });
}
