import { type Bridged, type ChatRequest, isObject, type JsonObject, type RequestBody } from '@svc/contracts';
import { badField, objectAt } from '../../common/bad-field.ts';
import { present } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { MESSAGES_NAMES } from '../../names/messages.ts';
import { toolsToChat } from './tools-to-chat.ts';
import { TurnsToChat } from './turns-to-chat.ts';

/** Objects that are copied unchanged. Converting back to the Messages API restores them. Other protocols report them as unsupported. */
const NATIVE = ['thinking', 'context_management', 'cache_control'] as const;

/**
 * A Messages request in the chat format and its extensions.
 * @throws {SvcError} SVC-REQ-001
 */
export function requestToChat(body: RequestBody): Bridged<ChatRequest> {
  const lost = new Lost((name) => MESSAGES_NAMES.has(name));
  const {
    model,
    messages,
    system,
    max_tokens,
    stop_sequences,
    temperature,
    top_p,
    tools,
    tool_choice,
    metadata,
    service_tier,
    output_config,
    output_format,
    anthropic_beta,
    stream: _,
    ...rest
  } = body;
  lost.noteAll('', Object.fromEntries(Object.entries(rest).filter(([name]) => !NATIVE.some((native) => native === name))));
  const turns = new TurnsToChat(lost);
  turns.takeSystem(system);
  turns.take(messages);
  if (turns.messages.length === 0) throw badField('body/messages', 'must contain at least one message');
  const request = {
    model,
    messages: turns.messages,
    ...toolsToChat(tools, tool_choice, lost),
    ...outputFields(output_config, output_format),
    ...nativeFields(rest),
    ...present({ anthropic_beta }),
    ...userField(metadata, lost),
    ...present({ max_completion_tokens: max_tokens, temperature, top_p, stop: emptyAsNull(stop_sequences) }),
    ...tierField(service_tier, lost),
  };
  return { body: request as ChatRequest, lost: lost.paths };
}

/** @throws {SvcError} SVC-REQ-001 */
function nativeFields(body: Readonly<Record<string, unknown>>): JsonObject {
  const given = NATIVE.filter((name) => body[name] != null);
  return Object.fromEntries(given.map((name) => [name, objectAt(body[name], `body/${name}`)]));
}

function emptyAsNull(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? null : list;
}

const EFFORTS: readonly unknown[] = ['low', 'medium', 'high', 'xhigh'];

/** Converts fields of `output_config` to chat fields where these exist, and keeps the rest. `output_format` is the older name of its `format`. */
function outputFields(config: unknown, output_format: unknown): JsonObject {
  if (config == null && output_format == null) return {};
  const { effort, format: newer, ...rest } = objectAt(config ?? {}, 'body/output_config');
  const format = newer ?? output_format;
  const isEffort = EFFORTS.includes(effort);
  const isSchema = isObject(format) && format.type === 'json_schema';
  const output_config = present({ ...rest, effort: isEffort ? null : effort, format: isSchema ? null : format });
  return present({
    reasoning_effort: isEffort ? effort : null,
    response_format: isSchema
      ? {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: objectAt(format.schema, 'body/output_config/format/schema') },
        }
      : null,
    output_config: Object.keys(output_config).length === 0 ? null : output_config,
  });
}

/** Some chat servers reject longer values. */
const MAX_USER_LENGTH = 64;

function userField(metadata: unknown, lost: Lost): JsonObject {
  if (metadata == null) return {};
  const { user_id, ...rest } = objectAt(metadata, 'body/metadata');
  lost.noteAll('metadata', rest);
  if (typeof user_id === 'string' && user_id.length <= MAX_USER_LENGTH) return { user: user_id };
  lost.noteAll('metadata', { user_id });
  return {};
}

/** `auto` is the default. */
function tierField(service_tier: unknown, lost: Lost): JsonObject {
  if (service_tier === 'standard_only') return { service_tier: 'default' };
  if (service_tier !== 'auto') lost.noteAll('', { service_tier });
  return {};
}
