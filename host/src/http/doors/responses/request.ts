import { type ChatRequest, isObject, type JsonObject, type JsonValue, SvcError } from '@svc/contracts';
import { arrayAt, badField, objectAt, present, textAt } from '../bad-field.ts';
import type { DoorRequest } from '../door.ts';
import { LeftBehind } from '../left-behind.ts';
import { namesIn } from '../names.ts';
import { Input } from './input.ts';
import { RESPONSES_NAMES } from './names.ts';
import { settingsOf } from './settings.ts';
import { Tools } from './tools.ts';
import { ResponsesWriter } from './writer.ts';

/** What the schema of the endpoint makes sure of; every other field is looked at here. */
export type ResponsesRequest = { readonly model: string; readonly stream?: boolean | null } & JsonObject;

/** What a gateway and its route let requests do. */
export interface ResponsesTerms {
  /** Whether what is said is stored, so that a later request may continue it. */
  readonly keeps: boolean;
  readonly vendor_tools: readonly string[];
}

/** What is kept at a vendor, and is not here. */
const ELSEWHERE = {
  conversation: 'is not kept here; send the whole conversation as input',
  prompt: 'is a template at a vendor; send its text as instructions',
} as const;

/** What is given to the model, or says how the answer is to come. */
const TAKEN = namesIn(
  `model input instructions tools tool_choice parallel_tool_calls reasoning text max_output_tokens temperature top_p service_tier user
  safety_identifier prompt_cache_key prompt_cache_retention stream stream_options store previous_response_id include background`,
);

/**
 * OpenAI's Responses API, for models that are asked in the chat format.
 * @throws {SvcError} SVC-REQ-001
 */
export function readResponses(body: ResponsesRequest, { keeps, vendor_tools }: ResponsesTerms): DoorRequest {
  for (const [name, why] of Object.entries(ELSEWHERE)) if (body[name] != null) throw badField(`body/${name}`, why);
  if (body.background === true) throw new SvcError('SVC-REQ-001', 'body/background: send background work to /v1/runs');
  const left = new LeftBehind(RESPONSES_NAMES);
  const encrypted = takesEncrypted(body.include, left);
  left.noteAll('', Object.fromEntries(Object.entries(body).filter(([name]) => !TAKEN.has(name))));
  const { model, tool_choice, parallel_tool_calls, max_output_tokens, temperature, top_p } = body;
  const { service_tier, user, safety_identifier, prompt_cache_key, prompt_cache_retention } = body;
  const stream = body.stream === true;
  const previous = previousOf(body.previous_response_id, keeps);
  const store = keeps && body.store !== false;
  const tools = new Tools(left, vendor_tools);
  if (body.tools != null) tools.take(body.tools, 'body/tools');
  tools.choose(tool_choice);
  const items = new Input(left, tools);
  if (body.instructions != null) items.messages.push({ role: 'system', content: textAt(body.instructions, 'body/instructions') });
  // Of the previous response's they take the place.
  const from = items.messages.length;
  items.take(body.input);
  if (items.messages.length === 0) throw badField('body/input', 'must hold a message');
  const settings = settingsOf(body, store);
  return {
    request: {
      model,
      messages: items.messages,
      ...tools.fields(parallel_tool_calls),
      ...textFields(body.text, left),
      ...reasoningFields(body.reasoning, left),
      ...present({ max_completion_tokens: max_output_tokens, temperature, top_p, service_tier, user, safety_identifier }),
      ...present({ prompt_cache_key, prompt_cache_retention }),
      // The last event tells the usage.
      ...(stream ? { stream_options: { include_usage: true } } : {}),
    } as ChatRequest,
    stream,
    unsupported: left.paths,
    continues: previous === null ? null : { run_id: previous, at: from },
    conversation: store ? { from } : null,
    writer: new ResponsesWriter(model, { settings, spaced: tools.spaced, encrypted }),
  };
}

/** The run of an earlier response. @throws {SvcError} SVC-REQ-001 */
function previousOf(id: JsonValue | undefined, keeps: boolean): string | null {
  if (id == null) return null;
  if (!keeps)
    throw badField(
      'body/previous_response_id',
      'needs a gateway that keeps what is said (server.record_content: true); send the whole conversation as input',
    );
  return textAt(id, 'body/previous_response_id').replace(/^resp_/, '');
}

/** Whether the caller wants reasoning that it cannot read, to send it with the next turn. */
function takesEncrypted(include: JsonValue | undefined, left: LeftBehind): boolean {
  const wanted = include == null ? [] : arrayAt(include, 'body/include');
  if (wanted.some((name) => name !== ENCRYPTED)) left.note('', 'include');
  return wanted.includes(ENCRYPTED);
}

const ENCRYPTED = 'reasoning.encrypted_content';

function textFields(text: JsonValue | undefined, left: LeftBehind): JsonObject {
  if (text == null) return {};
  const { format, verbosity, ...rest } = objectAt(text, 'body/text');
  left.noteAll('text', rest);
  return present({ response_format: chatFormat(format), verbosity });
}

/** A schema lies one level deeper in the chat format, and text is what is written anyway. */
function chatFormat(format: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(format) || format.type !== 'json_schema') return isObject(format) && format.type === 'text' ? null : format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

function reasoningFields(reasoning: JsonValue | undefined, left: LeftBehind): JsonObject {
  if (reasoning == null) return {};
  const { effort, summary, ...rest } = objectAt(reasoning, 'body/reasoning');
  left.noteAll('reasoning', rest);
  return present({ reasoning_effort: effort, reasoning_summary: summary });
}
