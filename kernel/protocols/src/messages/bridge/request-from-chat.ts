import { type Bridged, type ChatRequest, isObject, type JsonObject, type RequestBody } from '@svc/contracts';
import { maxTokensIn, parametersIn } from '../../common/chat-fields.ts';
import { Lost } from '../../common/lost.ts';
import { isKnownName } from '../../names/known-path.ts';
import { parameterOf } from './parameters-from-chat.ts';
import { toolsFromChat } from './tools-from-chat.ts';
import { turnsFromChat } from './turns-from-chat.ts';

/** The API has no JSON mode without a schema. */
const JSON_ONLY = 'Answer with one JSON object and nothing else: no Markdown, no text before or after it.';

/**
 * A chat request as a Messages request. Null values count as absent. Without a limit in the chat request, the provider must add `max_tokens`.
 * @throws {ProviderError} `unsupported` for messages that the API does not support
 */
export function requestFromChat(request: ChatRequest): Bridged<RequestBody> {
  const lost = new Lost(isKnownName);
  const { system, messages } = turnsFromChat(request.messages, lost);
  const { response_format } = request;
  if (isObject(response_format) && response_format.type === 'json_object') system.push({ type: 'text', text: JSON_ONLY });
  const { limit, isOlderLost } = maxTokensIn(request);
  if (isOlderLost) lost.note('', 'max_tokens');
  const body: JsonObject & { model: string } = {
    model: request.model,
    ...(limit !== null && { max_tokens: limit }),
    ...(system.length > 0 && { system }),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...toolsFromChat(request, lost),
  };
  for (const [name, value] of parametersIn(request)) {
    const { adds, honoured } = parameterOf(name, value, request);
    if (!honoured) lost.note('', name);
    merge(body, adds);
  }
  return { body, lost: lost.paths };
}

/** Merges objects, because two parameters may both add to `output_config`. */
function merge(body: JsonObject, part: JsonObject): void {
  for (const [name, value] of Object.entries(part)) {
    const present = body[name];
    body[name] = isObject(present) && isObject(value) ? { ...present, ...value } : value;
  }
}
