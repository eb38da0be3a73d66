import { type Bridged, type ChatRequest, isObject, type JsonObject, type JsonValue, type RequestBody } from '@svc/contracts';
import { Lost } from '../../common/lost.ts';
import { isOurs } from '../../common/ours.ts';
import { isKnownName } from '../../names/known-path.ts';
import { parameterOf } from './parameters-from-chat.ts';
import { toolsFromChat } from './tools-from-chat.ts';
import { turnsFromChat } from './turns-from-chat.ts';

/** Translated together with others, or by the provider. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
]);

/** The API has no mode for JSON of any form. */
const JSON_ONLY = 'Answer with one JSON object and nothing else: no Markdown, no text before or after it.';

/**
 * A chat request as a request of the Messages API. Null counts as absent. Without a limit of its own it has no `max_tokens`: the provider gives one,
 * since the API needs it.
 * @throws {ProviderError} `unsupported` for messages that the API does not support
 */
export function requestFromChat(request: ChatRequest): Bridged<RequestBody> {
  const lost = new Lost(isKnownName);
  const { system, messages } = turnsFromChat(request.messages, lost);
  const { response_format } = request;
  if (isObject(response_format) && response_format.type === 'json_object') system.push({ type: 'text', text: JSON_ONLY });
  const body: JsonObject & { model: string } = {
    model: request.model,
    ...limitIn(request, lost),
    ...(system.length > 0 && { system }),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...toolsFromChat(request, lost),
  };
  for (const [name, value] of Object.entries(request)) {
    if (ELSEWHERE.has(name) || isOurs(name) || value === null || value === undefined) continue;
    // The request was parsed from JSON.
    const { adds, honoured } = parameterOf(name, value as JsonValue, request);
    if (!honoured) lost.note('', name);
    merge(body, adds);
  }
  return { body, lost: lost.paths };
}

/** `max_completion_tokens` is the newer of OpenAI's two names. If both are given and differ, the older one is not honoured. */
function limitIn({ max_completion_tokens: newer, max_tokens: older }: ChatRequest, lost: Lost): JsonObject {
  const value = newer ?? older;
  if (older != null && older !== value) lost.note('', 'max_tokens');
  return value == null ? {} : { max_tokens: value };
}

/** Two parameters may both set members of one object (`output_config`). */
function merge(body: JsonObject, part: JsonObject): void {
  for (const [name, value] of Object.entries(part)) {
    const present = body[name];
    body[name] = isObject(present) && isObject(value) ? { ...present, ...value } : value;
  }
}
