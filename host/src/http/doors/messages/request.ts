import type { IncomingHttpHeaders } from 'node:http';
import { type ChatRequest, isObject, type JsonObject, type JsonValue, withoutDate } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel';
import { estimateTokens } from '../../../tokens/estimate-tokens.ts';
import { arrayAt, badField, objectAt, present, textAt } from '../bad-field.ts';
import type { DoorRequest } from '../door.ts';
import { LeftBehind } from '../left-behind.ts';
import { namesIn } from '../names.ts';
import { isListed } from '../vendor-tools.ts';
import { MESSAGES_NAMES } from './names.ts';
import { Turns } from './turns.ts';
import { MessagesWriter } from './writer.ts';

/** What the schema of the endpoint makes sure of; every other field is looked at here. */
export type MessagesRequest = { readonly model: string; readonly stream?: boolean | null } & JsonObject;

/** Objects that the chat format takes as they are: a provider of this protocol sends them on, others say that they do not. */
const NATIVE = ['thinking', 'context_management', 'cache_control'] as const;

/** What is given to the model, or says how the answer is to come. */
const TAKEN = namesIn(
  `model messages system max_tokens stop_sequences stream temperature top_p tools tool_choice metadata service_tier output_config
  ${NATIVE.join(' ')}`,
);

/** The version of the API whose words the door reads. It tells a provider of this protocol that the request is in them. */
const VERSION = '2023-06-01';

/**
 * Anthropic's Messages API, in the chat format and its extensions.
 * @throws {SvcError} SVC-REQ-001
 */
export function readMessages(
  body: MessagesRequest,
  headers: IncomingHttpHeaders,
  { vendor_tools }: Pick<RuntimeRoute, 'vendor_tools'>,
): DoorRequest {
  const left = new LeftBehind(MESSAGES_NAMES);
  left.noteAll('', Object.fromEntries(Object.entries(body).filter(([name]) => !TAKEN.has(name))));
  const { model, max_tokens, temperature, top_p, stop_sequences, service_tier } = body;
  const stream = body.stream === true;
  const turns = new Turns(left);
  turns.takeSystem(body.system);
  turns.take(body.messages);
  if (turns.messages.length === 0) throw badField('body/messages', 'must hold a message');
  return {
    request: {
      model,
      messages: turns.messages,
      ...toolFields(body, vendor_tools, left),
      ...outputFields(body.output_config),
      ...nativeFields(body),
      ...present({ anthropic_version: VERSION, anthropic_beta: betasIn(headers) }),
      ...userField(body.metadata, left),
      ...present({ max_completion_tokens: max_tokens, temperature, top_p, stop: emptyAsNull(stop_sequences) }),
      ...(service_tier === 'standard_only' ? { service_tier: 'default' } : {}),
      // The last event tells the usage.
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    } as ChatRequest,
    stream,
    unsupported: left.paths,
    writer: new MessagesWriter(model, stream ? estimateTokens([turns.messages, body.tools]) : 0),
  };
}

/** @throws {SvcError} SVC-REQ-001 */
function nativeFields(body: MessagesRequest): JsonObject {
  const given = NATIVE.filter((name) => body[name] != null);
  return Object.fromEntries(given.map((name) => [name, objectAt(body[name], `body/${name}`)]));
}

function betasIn({ 'anthropic-beta': given }: IncomingHttpHeaders): readonly string[] | null {
  const names = String(given ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? null : names;
}

function emptyAsNull(list: JsonValue | undefined): JsonValue {
  return Array.isArray(list) && list.length === 0 ? null : (list ?? null);
}

/** Without a tool there is nothing to choose. */
function toolFields({ tools, tool_choice }: MessagesRequest, listed: readonly string[], left: LeftBehind): JsonObject {
  if (tools == null) return {};
  const known: JsonObject[] = [];
  const dropped: unknown[] = [];
  for (const [index, value] of arrayAt(tools, 'body/tools').entries()) {
    const path = `body/tools/${index}`;
    const tool = objectAt(value, path);
    const { type, name } = tool;
    if (type == null || type === 'custom') known.push(functionOf(tool, path, left));
    else if (isListed(type, listed)) known.push(tool);
    else {
      // A vendor's own tool. Agents send them always, and a model can do without.
      left.note('tools', withoutDate(textAt(type, `${path}/type`)));
      dropped.push(name);
    }
  }
  return known.length === 0 ? {} : { tools: known, ...choiceFields(tool_choice, dropped, left) };
}

function functionOf(
  { type: _, name, description, input_schema, cache_control, ...rest }: JsonObject,
  path: string,
  left: LeftBehind,
): JsonObject {
  left.noteAll('tools', rest);
  const called = present({
    name: textAt(name, `${path}/name`),
    description,
    parameters: objectAt(input_schema, `${path}/input_schema`),
  });
  return { type: 'function', function: called, ...present({ cache_control }) };
}

const CHOICES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

/** @param dropped names of tools that were left out: none of them can be chosen */
function choiceFields(choice: JsonValue | undefined, dropped: readonly unknown[], left: LeftBehind): JsonObject {
  if (choice == null) return {};
  const { type, name, disable_parallel_tool_use, ...rest } = objectAt(choice, 'body/tool_choice');
  left.noteAll('tool_choice', rest);
  if (type === 'tool' && dropped.includes(name)) {
    left.note('', 'tool_choice');
    return {};
  }
  const tool_choice =
    type === 'tool'
      ? { type: 'function', function: { name: textAt(name, 'body/tool_choice/name') } }
      : CHOICES[textAt(type, 'body/tool_choice/type')];
  if (tool_choice === undefined) throw badField('body/tool_choice/type', 'must be one of auto, any, tool, none');
  return { tool_choice, ...(disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}) };
}

const EFFORTS: readonly unknown[] = ['low', 'medium', 'high', 'xhigh'];

/** What the chat format has in words of its own, and the rest as it is. */
function outputFields(config: JsonValue | undefined): JsonObject {
  if (config == null) return {};
  const { effort, format, ...rest } = objectAt(config, 'body/output_config');
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

/** Servers of the chat format refuse longer ones. */
const MAX_USER_LENGTH = 64;

function userField(metadata: JsonValue | undefined, left: LeftBehind): JsonObject {
  if (metadata == null) return {};
  const { user_id, ...rest } = objectAt(metadata, 'body/metadata');
  left.noteAll('metadata', rest);
  if (typeof user_id === 'string' && user_id.length <= MAX_USER_LENGTH) return { user: user_id };
  left.noteAll('metadata', { user_id });
  return {};
}
