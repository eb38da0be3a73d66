import type { JsonObject, JsonValue } from '@svc/sdk';
import { mediaType, type RequestBody } from '@svc/sdk/protocol';
import { isObject } from '@svc/toolkit/upstream';
import type { AnthropicOptions } from './options.ts';

type LeftOut = AnthropicOptions['leave_out'][number];

/** Chat parameters that are members of `output_config` in the API. */
const IN_OUTPUT: Partial<Record<LeftOut, string>> = { reasoning_effort: 'effort', response_format: 'format' };

/**
 * The request to send. Adds the `max_tokens` that the API requires, and removes parameters that the models reject. `unsupported` lists the removed
 * ones.
 */
export function bodyOf(
  { anthropic_beta: _, stream: __, ...request }: RequestBody,
  { max_tokens, leave_out }: Pick<AnthropicOptions, 'max_tokens' | 'leave_out'>,
): { body: RequestBody; unsupported: string[] } {
  const messages = withMediaTypes(request.messages as JsonValue | undefined);
  const limit = request.max_tokens == null ? { max_tokens } : {};
  const body: RequestBody = { ...request, ...limit, ...(messages !== undefined && { messages }) };
  const unsupported = leave_out.filter((name) => leavesOut(body, name));
  return { body, unsupported };
}

/** Removes a parameter. False if it is not there. */
function leavesOut(body: RequestBody, name: LeftOut): boolean {
  const member = IN_OUTPUT[name];
  if (member === undefined) {
    if (body[name] == null) return false;
    return Reflect.deleteProperty(body, name);
  }
  const { output_config: config } = body;
  if (!isObject(config) || config[member] == null) return false;
  const { [member]: _, ...rest } = config;
  if (Object.keys(rest).length === 0) Reflect.deleteProperty(body, 'output_config');
  else body.output_config = rest;
  return true;
}

/** Replaces media types with those that the API accepts, in turns, blocks and results. */
function withMediaTypes<Value extends JsonValue | undefined>(value: Value): Value {
  if (!Array.isArray(value)) return value;
  return value.map((item) => (isObject(item) ? withMediaType(item) : item)) as Value;
}

function withMediaType(item: JsonObject): JsonObject {
  const { content, source } = item;
  if (Array.isArray(content)) return { ...item, content: withMediaTypes(content) };
  const type = isObject(source) ? source.media_type : null;
  return isObject(source) && typeof type === 'string' ? { ...item, source: { ...source, media_type: mediaType(type) } } : item;
}
