import type { ChatRequest, JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import { inputOf } from './input.ts';
import { toolFields } from './tools.ts';

/** Parameters that are the same in both APIs. */
const SAME: readonly string[] = [
  'temperature',
  'top_p',
  'parallel_tool_calls',
  'service_tier',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'metadata',
];

/** Parameters that are converted. */
const CONVERTED: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'tools', 'tool_choice', 'max_tokens', 'max_completion_tokens'],
  ...['response_format', 'verbosity', 'reasoning_effort', 'reasoning_summary', ...SAME],
]);

/** Values that ask for what comes anyway. */
const MOOT: Readonly<Record<string, JsonValue>> = { n: 1, store: false, logprobs: false };

/**
 * The body of a Responses request for a chat request, and the names of the parameters that it does not honour. Null counts as absent. Nothing
 * is stored at the upstream: reasoning comes back encrypted, to be sent with the next turn.
 * @throws {ProviderError} `invalid_request` for messages that the API does not take
 */
export function responsesRequest(request: ChatRequest): { body: JsonObject; unsupported: string[] } {
  const { items, lost } = inputOf(request.messages);
  const given = Object.entries(request).filter(([name, value]) => value != null && !name.startsWith('svc_'));
  const fields = Object.fromEntries(given) as JsonObject;
  const { max_completion_tokens: newer, max_tokens: older } = fields;
  const max_output_tokens = newer ?? older;
  const body: JsonObject = {
    model: request.model,
    input: items,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...Object.fromEntries(given.filter(([name]) => SAME.includes(name))),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...toolFields(request),
    ...textFields(fields),
    ...reasoningFields(fields),
  };
  const unsupported = given.filter(([name, value]) => !CONVERTED.has(name) && MOOT[name] !== value).map(([name]) => name);
  const tokens = older !== undefined && older !== max_output_tokens ? ['max_tokens'] : [];
  return { body, unsupported: [...(lost ? ['messages'] : []), ...tokens, ...unsupported] };
}

function textFields({ response_format, verbosity }: JsonObject): JsonObject {
  const format = textFormat(response_format);
  if (format === undefined && verbosity === undefined) return {};
  return { text: { ...(format !== undefined && { format }), ...(verbosity !== undefined && { verbosity }) } };
}

/** A schema lies one level deeper in the chat format. */
function textFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || !isObject(format.json_schema)) return format;
  return { type: 'json_schema', ...format.json_schema };
}

function reasoningFields({ reasoning_effort: effort, reasoning_summary: summary }: JsonObject): JsonObject {
  if (effort === undefined && summary === undefined) return {};
  return { reasoning: { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) } };
}
