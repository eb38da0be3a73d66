import type { ChatRequest, JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import type { AnthropicOptions } from './options.ts';
import { parameterOf, UNSUPPORTED } from './parameters.ts';
import { toolsOf } from './tools.ts';
import { conversationOf } from './turns.ts';

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
  'anthropic_version',
  'anthropic_beta',
]);

/** The API has no mode for JSON of any form. */
const JSON_ONLY = 'Answer with one JSON object and nothing else: no Markdown, no text before or after it.';

function asksForJson({ response_format }: ChatRequest): boolean {
  return isObject(response_format) && response_format.type === 'json_object';
}

/** Two parameters may both set members of one object (`output_config`). */
function merge(body: JsonObject, part: JsonObject): void {
  for (const [name, value] of Object.entries(part)) {
    const present = body[name];
    body[name] = isObject(present) && isObject(value) ? { ...present, ...value } : value;
  }
}

/** `max_completion_tokens` is the newer of OpenAI's two names. If both are given and differ, the older one is not honoured. */
function maxTokens({ max_completion_tokens: newer, max_tokens: older }: ChatRequest, byDefault: number) {
  const value = newer ?? older ?? byDefault;
  return { value, unsupported: older == null || older === value ? [] : ['max_tokens'] };
}

/**
 * The body of a Messages API request for an OpenAI chat request, to be written by `JSON.stringify`, and the names of the parameters that it
 * does not honour. Null counts as absent. A request with `anthropic_version` is in the words of the Messages API: what both formats have in
 * different ways is taken as that API has it.
 * @throws {ProviderError} `invalid_request` for messages that the API does not support
 */
export function translate(
  request: ChatRequest,
  { max_tokens, leave_out }: Pick<AnthropicOptions, 'max_tokens' | 'leave_out'>,
): { body: JsonObject; unsupported: string[] } {
  const { system, messages, hintsLost } = conversationOf(request.messages, request.anthropic_version != null);
  if (asksForJson(request) && !leave_out.includes('response_format')) system.push({ type: 'text', text: JSON_ONLY });
  const limit = maxTokens(request, max_tokens);
  const tools = toolsOf(request);
  const body: JsonObject = {
    model: request.model,
    max_tokens: limit.value,
    ...(system.length > 0 && { system }),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...tools.body,
  };
  const unsupported = [...(hintsLost ? ['messages'] : []), ...limit.unsupported, ...tools.unsupported];
  const omitted: readonly string[] = leave_out;
  for (const [name, value] of Object.entries(request)) {
    if (ELSEWHERE.has(name) || name.startsWith('svc_') || value === null || value === undefined) continue;
    // The request was parsed from JSON.
    const { adds, honoured } = omitted.includes(name) ? UNSUPPORTED : parameterOf(name, value as JsonValue, request);
    if (!honoured) unsupported.push(name);
    merge(body, adds);
  }
  return { body, unsupported };
}
