import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';

type Adds = Partial<LanguageModelV4CallOptions>;
/** The options that a parameter adds to the call (none if its value is the default). Null if it is unsupported. */
type Translation = (value: JsonValue) => Adds | null;

const number =
  (name: 'temperature' | 'topP' | 'topK' | 'presencePenalty' | 'frequencyPenalty' | 'seed'): Translation =>
  (value) =>
    typeof value === 'number' ? { [name]: value } : null;

/** A parameter that the specification lacks. It is honoured only with values that change nothing. */
const onlyAs =
  (...idle: readonly JsonValue[]): Translation =>
  (value) =>
    idle.some((each) => JSON.stringify(each) === JSON.stringify(value)) ? {} : null;

function stopSequences(value: JsonValue): Adds | null {
  const given = Array.isArray(value) ? value : [value];
  const texts = given.filter((text) => typeof text === 'string');
  if (texts.length < given.length) return null;
  return texts.length === 0 ? {} : { stopSequences: texts };
}

function responseFormat(value: JsonValue): Adds | null {
  if (!isObject(value)) return null;
  if (value.type === 'text') return {};
  if (value.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { json_schema } = value;
  if (value.type !== 'json_schema' || !isObject(json_schema) || !isObject(json_schema.schema)) return null;
  const { schema, name, description } = json_schema;
  return {
    responseFormat: {
      type: 'json',
      schema,
      ...(typeof name === 'string' && { name }),
      ...(typeof description === 'string' && { description }),
    },
  };
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

function effort(value: JsonValue): Adds | null {
  const reasoning = EFFORTS.find((each) => each === value);
  return reasoning === undefined ? null : { reasoning };
}

const PARAMETERS: ReadonlyMap<string, Translation> = new Map<string, Translation>([
  ['temperature', number('temperature')],
  ['top_p', number('topP')],
  ['top_k', number('topK')],
  ['presence_penalty', number('presencePenalty')],
  ['frequency_penalty', number('frequencyPenalty')],
  ['seed', number('seed')],
  ['stop', stopSequences],
  ['response_format', responseFormat],
  ['reasoning_effort', effort],
  ['service_tier', onlyAs('auto', 'default')],
  ['n', onlyAs(1)],
  ['logprobs', onlyAs(false)],
  ['top_logprobs', onlyAs(0)],
  ['logit_bias', onlyAs({})],
  ['modalities', onlyAs(['text'])],
  ['verbosity', onlyAs('medium')],
]);

/** Converts one parameter. Null if it is unknown or unsupported. */
export function parameterOf(name: string, value: JsonValue): Adds | null {
  return PARAMETERS.get(name)?.(value) ?? null;
}
