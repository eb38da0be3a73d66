import { type ChatRequest, isObject, type JsonObject, type JsonValue } from '@svc/sdk';
import { type Lost, maxTokensIn, nameIn, objectAt, parametersIn, present } from '@svc/sdk/protocol';
import { jsonSchema } from './schema.ts';

/** Settings that need no conversion: the name in this API, then the name in the chat format. */
const SAME = [
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['maxOutputTokens', 'max_completion_tokens'],
  ['stopSequences', 'stop'],
  ['candidateCount', 'n'],
  ['seed', 'seed'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['responseLogprobs', 'logprobs'],
  ['logprobs', 'top_logprobs'],
] as const;
const PLACE = 'generationConfig';

/** @throws {SvcError} SVC-REQ-001 */
export function settingsToChat(generationConfig: unknown, lost: Lost): JsonObject {
  if (generationConfig == null) return {};
  const { responseMimeType, responseSchema, responseJsonSchema, responseModalities, thinkingConfig, ...rest } = objectAt(
    generationConfig,
    `body/${PLACE}`,
  );
  const same = SAME.map(([here, there]) => [there, rest[here]] as const);
  const others = Object.entries(rest).filter(([name]) => !SAME.some(([here]) => here === name));
  lost.noteAll(PLACE, Object.fromEntries(others));
  const isText = Array.isArray(responseModalities) && responseModalities.length === 1 && responseModalities[0] === 'TEXT';
  if (!isText) lost.noteAll(PLACE, { responseModalities });
  return {
    ...present(Object.fromEntries(same)),
    ...formatToChat(responseMimeType, responseJsonSchema ?? (responseSchema == null ? null : jsonSchema(responseSchema)), lost),
    ...thinkingToChat(thinkingConfig, lost),
  };
}

function formatToChat(type: unknown, schema: JsonValue, lost: Lost): JsonObject {
  if (type === 'application/json' && isObject(schema))
    return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
  if (type === 'application/json') return { response_format: { type: 'json_object' } };
  if (type !== 'text/plain') lost.noteAll(PLACE, { responseMimeType: type });
  if (schema !== null) lost.note(PLACE, 'responseSchema');
  return {};
}

const LEVELS: readonly unknown[] = ['minimal', 'low', 'medium', 'high'];

/** Converts the thinking settings. A reasoning effort cannot express a token budget, except that 0 means no thinking. */
function thinkingToChat(config: unknown, lost: Lost): JsonObject {
  if (config == null) return {};
  const place = `${PLACE}.thinkingConfig`;
  const { thinkingLevel, thinkingBudget, ...rest } = objectAt(config, `body/${place}`);
  lost.noteAll(place, rest);
  const level = typeof thinkingLevel === 'string' ? thinkingLevel.toLowerCase() : thinkingLevel;
  if (LEVELS.includes(level)) return { reasoning_effort: level ?? null };
  lost.noteAll(place, { thinkingLevel });
  if (thinkingBudget === 0) return { reasoning_effort: 'none' };
  // -1 means that the model decides.
  if (thinkingBudget !== -1) lost.noteAll(place, { thinkingBudget });
  return {};
}

/** Parameters of the chat format that are converted separately. */
const CONVERTED: ReadonlySet<string> = new Set(['response_format', 'reasoning_effort', 'modalities']);

/** For parameters that the API lacks: the values that change nothing. */
const IDLE: ReadonlyMap<string, unknown> = new Map<string, unknown>([['store', false]]);

export function settingsFromChat(request: ChatRequest, lost: Lost): JsonObject {
  const settings: JsonObject = {};
  for (const [here, there] of SAME) {
    const value = request[there] as JsonValue | undefined;
    if (value != null) settings[here] = here === 'stopSequences' && !Array.isArray(value) ? [value] : value;
  }
  const { limit, isOlderLost } = maxTokensIn(request);
  if (limit !== null) settings.maxOutputTokens = limit;
  if (isOlderLost) lost.note('', 'max_tokens');
  const { modalities } = request;
  if (!(Array.isArray(modalities) && modalities.length === 1 && modalities[0] === 'text')) lost.noteAll('', { modalities });
  const others = parametersIn(request).filter(
    ([name, value]) => !CONVERTED.has(name) && !SAME.some(([, there]) => there === name) && IDLE.get(name) !== value,
  );
  lost.noteAll('', Object.fromEntries(others));
  return { ...settings, ...formatFromChat(request.response_format, lost), ...thinkingFromChat(request.reasoning_effort, lost) };
}

function formatFromChat(format: unknown, lost: Lost): JsonObject {
  if (format == null || (isObject(format) && format.type === 'text')) return {};
  if (isObject(format) && format.type === 'json_object') return { responseMimeType: 'application/json' };
  const { schema } = isObject(format) && isObject(format.json_schema) ? format.json_schema : {};
  if (isObject(schema)) return { responseMimeType: 'application/json', responseJsonSchema: schema };
  lost.note('', 'response_format');
  return {};
}

function thinkingFromChat(effort: unknown, lost: Lost): JsonObject {
  if (effort == null) return {};
  if (effort === 'none') return { thinkingConfig: { thinkingBudget: 0 } };
  if (LEVELS.includes(effort)) return { thinkingConfig: { thinkingLevel: nameIn(effort).toUpperCase() } };
  lost.note('', 'reasoning_effort');
  return {};
}
