import { type ChatRequest, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { effortOf } from './thinking-from-chat.ts';

/** The fields that a parameter adds to the body (none if its value is the default), and whether the parameter is fully honoured. */
interface Translated {
  readonly adds: JsonObject;
  readonly honoured: boolean;
}
type Translation = (value: JsonValue, request: ChatRequest) => Translated;

const UNSUPPORTED: Translated = { adds: {}, honoured: false };
const as = (adds: JsonObject): Translated => ({ adds, honoured: true });

/** A parameter that the API lacks. It is honoured only with values that change nothing. */
const onlyAs =
  (...idle: readonly JsonValue[]): Translation =>
  (value) =>
    idle.some((each) => JSON.stringify(each) === JSON.stringify(value)) ? as({}) : UNSUPPORTED;

function stopSequences(value: JsonValue): Translated {
  const given = Array.isArray(value) ? value : [value];
  // The API rejects stop sequences that are only white space.
  const kept = given.filter((text) => typeof text !== 'string' || text.trim() !== '');
  return { adds: kept.length === 0 ? {} : { stop_sequences: kept }, honoured: kept.length === given.length };
}

function outputFormat(value: JsonValue): Translated {
  if (!isObject(value)) return UNSUPPORTED;
  // JSON without a schema is requested in the prompt; see `requestFromChat`.
  if (value.type === 'text' || value.type === 'json_object') return as({});
  const { json_schema } = value;
  if (value.type !== 'json_schema' || !isObject(json_schema) || !isObject(json_schema.schema)) return UNSUPPORTED;
  const { description, schema } = json_schema;
  const described = { ...(typeof description === 'string' && { description }), ...schema };
  return as({ output_config: { format: { type: 'json_schema', schema: described } } });
}

function reasoning(value: JsonValue, { thinking }: ChatRequest): Translated {
  const adds = effortOf(value, thinking != null);
  return adds === null ? UNSUPPORTED : as(adds);
}

/** A parameter with the same name in the API. */
const native =
  (name: string): Translation =>
  (value) =>
    isObject(value) ? as({ [name]: value }) : UNSUPPORTED;

const PARAMETERS: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  // OpenAI's range is 0 to 2, Anthropic's is 0 to 1. Above 1, the API's default of 1 applies.
  ['temperature', (value) => (typeof value === 'number' && value > 1 ? UNSUPPORTED : as({ temperature: value }))],
  ['top_p', (value) => as({ top_p: value })],
  ['stop', stopSequences],
  ['user', (value) => as({ metadata: { user_id: value } })],
  ['response_format', outputFormat],
  ['reasoning_effort', reasoning],
  ['thinking', native('thinking')],
  ['context_management', native('context_management')],
  ['output_config', native('output_config')],
  ['cache_control', native('cache_control')],
  // The provider sends this field as a header.
  ['anthropic_beta', (value) => as({ anthropic_beta: value })],
  [
    'service_tier',
    (value) => (value === 'default' ? as({ service_tier: 'standard_only' }) : value === 'auto' ? as({}) : UNSUPPORTED),
  ],
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

/** Converts one parameter. Unknown parameters are unsupported. */
export function parameterOf(name: string, value: JsonValue, request: ChatRequest): Translated {
  return PARAMETERS.get(name)?.(value, request) ?? UNSUPPORTED;
}
