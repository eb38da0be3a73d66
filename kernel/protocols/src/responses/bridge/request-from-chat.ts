import { type Bridged, type ChatRequest, isObject, type JsonObject, type JsonValue, type RequestBody } from '@svc/contracts';
import { maxTokensIn } from '../../common/chat-fields.ts';
import { isGatewayField } from '../../common/gateway-fields.ts';
import { Lost } from '../../common/lost.ts';
import { CHAT_NAMES } from '../../names/chat.ts';
import { isResponsesName } from '../../names/responses.ts';
import { itemsFromChat } from './messages-from-chat.ts';
import { ENCRYPTED } from './request-to-chat.ts';
import { toolFields } from './tools-from-chat.ts';

/** Parameters with the same name in both APIs. */
const SAME: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'parallel_tool_calls',
  'service_tier',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'metadata',
]);

/** Parameters that can be converted. */
const CONVERTED: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'max_tokens', 'max_completion_tokens'],
  ...['response_format', 'verbosity', 'reasoning_effort', 'reasoning_summary', ...SAME],
  // It names the version of the request's API, and has no effect here.
  'anthropic_version',
]);

/** Values that equal the default of the API, so they can be left out. */
const MOOT: Readonly<Record<string, JsonValue>> = { n: 1, store: false, logprobs: false };

/**
 * A chat request as the body of a Responses request. Null values count as absent. The upstream stores nothing; it returns encrypted reasoning, which
 * the next turn sends back.
 * @throws {ProviderError} `unsupported` for messages that the API does not accept
 */
export function requestFromChat(request: ChatRequest): Bridged<RequestBody> {
  const lost = new Lost((name) => CHAT_NAMES.has(name) || isResponsesName(name));
  const given = Object.entries(request).filter(([name, value]) => value != null && !isGatewayField(name));
  const fields = Object.fromEntries(given) as JsonObject;
  const { limit, isOlderLost } = maxTokensIn(request);
  const body: RequestBody = {
    model: request.model,
    input: itemsFromChat(request.messages, lost),
    store: false,
    include: [ENCRYPTED],
    ...Object.fromEntries(given.filter(([name]) => SAME.has(name))),
    ...(limit !== null && { max_output_tokens: limit }),
    ...toolFields(request, lost),
    ...textFields(fields),
    ...reasoningFields(fields),
    ...streamFields(fields, lost),
  };
  if (isOlderLost) lost.note('', 'max_tokens');
  for (const [name, value] of given) if (!CONVERTED.has(name) && !isMoot(name, value)) lost.note('', name);
  return { body, lost: lost.paths };
}

/** `thinking: disabled` has no effect, because it is the default. */
function isMoot(name: string, value: unknown): boolean {
  return MOOT[name] === value || (name === 'thinking' && isObject(value) && value.type === 'disabled');
}

/** Usage need not be requested, because the last frame always has it. */
function streamFields({ stream, stream_options }: JsonObject, lost: Lost): JsonObject {
  if (!isObject(stream_options)) return stream === true ? { stream } : {};
  const { include_usage: _, include_obfuscation, ...rest } = stream_options;
  lost.noteAll('stream_options', rest);
  const options = include_obfuscation == null ? {} : { stream_options: { include_obfuscation } };
  return { ...(stream === true && { stream }), ...options };
}

function textFields({ response_format, verbosity }: JsonObject): JsonObject {
  const format = textFormat(response_format);
  if (format === undefined && verbosity === undefined) return {};
  return { text: { ...(format !== undefined && { format }), ...(verbosity !== undefined && { verbosity }) } };
}

/** In the chat format, the schema is one level deeper. */
function textFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || !isObject(format.json_schema)) return format;
  return { type: 'json_schema', ...format.json_schema };
}

function reasoningFields({ reasoning_effort: effort, reasoning_summary: summary }: JsonObject): JsonObject {
  if (effort === undefined && summary === undefined) return {};
  return { reasoning: { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) } };
}
