import type { JsonObject, JsonValue } from '@svc/sdk/plugin';
import { isObject } from '@svc/sdk/upstream';

/** What a parameter adds to the body (nothing, where it asks for what happens anyway); null where the API cannot honour it. */
type Translation = (value: JsonValue) => JsonObject | null;

/** For a parameter that the API has not: only these values ask for nothing. */
const onlyAs =
  (...idle: readonly JsonValue[]): Translation =>
  (value) =>
    idle.some((each) => JSON.stringify(each) === JSON.stringify(value)) ? {} : null;

function stopSequences(value: JsonValue): JsonObject | null {
  const list = Array.isArray(value) ? value : [value];
  // The API refuses those of white space alone.
  return list.some((text) => typeof text === 'string' && text.trim() === '') ? null : { stop_sequences: list };
}

function outputFormat(value: JsonValue): JsonObject | null {
  if (!isObject(value)) return null;
  if (value.type === 'text') return {};
  const { json_schema } = value;
  if (value.type !== 'json_schema' || !isObject(json_schema) || !isObject(json_schema.schema)) return null;
  const { description, schema } = json_schema;
  return {
    output_config: {
      format: { type: 'json_schema', schema: { ...(typeof description === 'string' && { description }), ...schema } },
    },
  };
}

const EFFORTS: readonly JsonValue[] = ['low', 'medium', 'high', 'xhigh'];

const PARAMETERS: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  // OpenAI's goes to 2, Anthropic's to 1. Beyond, it is left at the API's own default, which is 1.
  ['temperature', (value) => (typeof value === 'number' && value > 1 ? null : { temperature: value })],
  ['top_p', (value) => ({ top_p: value })],
  ['stop', stopSequences],
  ['user', (value) => ({ metadata: { user_id: value } })],
  ['response_format', outputFormat],
  ['reasoning_effort', (value) => (EFFORTS.includes(value) ? { output_config: { effort: value } } : null)],
  ['service_tier', (value) => (value === 'default' ? { service_tier: 'standard_only' } : onlyAs('auto')(value))],
  ['n', onlyAs(1)],
  ['store', onlyAs(false)],
  ['logprobs', onlyAs(false)],
  ['top_logprobs', onlyAs(0)],
  ['logit_bias', onlyAs({})],
  ['presence_penalty', onlyAs(0)],
  ['frequency_penalty', onlyAs(0)],
  ['modalities', onlyAs(['text'])],
  ['verbosity', onlyAs('medium')],
]);

/**
 * Translates one parameter of the request.
 * @returns null where the API cannot honour it; also for a parameter that is not known here
 */
export function parameterOf(name: string, value: JsonValue): JsonObject | null {
  return PARAMETERS.get(name)?.(value) ?? null;
}
