import {
  type AnswerIdentity,
  isObject,
  type JsonObject,
  type JsonValue,
  meaningOf,
  type RequestBody,
  SvcError,
  withoutDate,
} from '@svc/contracts';
import { badField, RESPONSES, textAt } from '@svc/protocols';
import { FINAL, openAiError } from '../errors.ts';
import type { DoorRequest } from './door.ts';
import { withoutReasoning, withReasoning } from './kept-reasoning.ts';
import { ProtocolWriter } from './protocol-writer.ts';
import { UnsupportedFields } from './unsupported-fields.ts';
import { mayPass, withChanged } from './vendor-tools.ts';

/** Guaranteed by the schema of the endpoint. */
export type ResponsesRequest = { readonly model: string; readonly stream?: boolean | null } & JsonObject;

/** What the gateway and the route allow. */
export interface ResponsesTerms {
  /** Whether content is stored, so that a later request may continue a response. */
  readonly keeps: boolean;
  readonly vendor_tools: readonly string[];
  /** Whether a guard can stop an answer after some of its frames were sent. */
  readonly mayStop: boolean;
}

/** Fields that refer to data stored at the vendor. */
const ELSEWHERE = {
  conversation: 'is not supported: the gateway does not store conversations; send the whole conversation as input',
  prompt: 'is not supported: the template is stored at the provider; send its text as instructions',
} as const;

/** A request of OpenAI's Responses API. @throws {SvcError} SVC-REQ-001 */
export function readResponses(
  { stream, ...given }: ResponsesRequest,
  { keeps, vendor_tools, mayStop }: ResponsesTerms,
): DoorRequest {
  const previous = previousOf(given.previous_response_id, keeps);
  const body = previous === null ? given : { ...withChanged(given, { previous_response_id: undefined }), model: given.model };
  for (const [name, why] of Object.entries(ELSEWHERE)) if (body[name] != null) throw badField(`body/${name}`, why);
  if (body.background === true)
    throw new SvcError('SVC-REQ-001', 'body/background is not supported here; send background work to /v1/runs');
  if (!Array.isArray(body.input) && typeof body.input !== 'string')
    throw badField('body/input', 'must be text or a list of items');
  if (Array.isArray(body.input) && body.input.some((item) => isObject(item) && item.type === 'item_reference'))
    throw badField(
      'body/input',
      'must contain the items themselves, not an item_reference: the gateway does not store items, so guards could not read them. Set `store: false` in the client',
    );
  const left = new UnsupportedFields();
  const request: RequestBody = { ...withoutVendorTools(body, vendor_tools, left), model: body.model };
  const isKept = keeps && body.store !== false;
  const asked = { ...request, store: isKept, ...(previous !== null && { previous_response_id: `resp_${previous}` }) };
  const wantsReasoning = isKept ? withReasoning(request) : null;
  return {
    protocol: RESPONSES,
    request: wantsReasoning ?? request,
    stream: stream === true,
    unsupported: left.paths,
    continues: previous === null ? null : { run_id: previous, at: 0 },
    conversation: isKept ? { from: 0 } : null,
    writer: new ProtocolWriter(RESPONSES, asked, failureFrames, {
      mayStop,
      ...(wantsReasoning !== null && { shown: withoutReasoning }),
    }),
  };
}

/** The run of an earlier response. @throws {SvcError} SVC-REQ-001 */
function previousOf(id: JsonValue | undefined, keeps: boolean): string | null {
  if (id == null) return null;
  if (!keeps)
    throw badField(
      'body/previous_response_id',
      'is not supported: the gateway does not store conversations (server.record_content is false); send the whole conversation as input',
    );
  return textAt(id, 'body/previous_response_id').replace(/^resp_/, '');
}

/** Removes vendor tools that the route does not allow. Agents always send such tools, and models work without them. */
function withoutVendorTools(body: JsonObject, listed: readonly string[], left: UnsupportedFields): JsonObject {
  const { tools, tool_choice } = body;
  if (!Array.isArray(tools)) return body;
  const passing = tools.flatMap((tool) => passingTool(tool, listed, left));
  const choice = passingChoice(tool_choice, listed, left);
  if (left.paths.length === 0) return body;
  // Without tools, there is nothing to choose.
  const isNone = passing.length === 0;
  const changed = { tools: isNone ? undefined : passing, tool_choice: isNone ? undefined : choice };
  return withChanged(body, isNone ? { ...changed, parallel_tool_calls: undefined } : changed);
}

function passingTool(tool: JsonValue, listed: readonly string[], left: UnsupportedFields): JsonValue[] {
  if (!isObject(tool) || mayPass(tool.type, listed)) return [tool];
  // A namespace contains tools of the client.
  if (tool.type === 'namespace' && Array.isArray(tool.tools))
    return [{ ...tool, tools: tool.tools.flatMap((inner) => passingTool(inner, listed, left)) }];
  left.note('tools', withoutDate(tool.type));
  return [];
}

function passingChoice(choice: JsonValue | undefined, listed: readonly string[], left: UnsupportedFields): JsonValue | undefined {
  if (!isObject(choice) || mayPass(choice.type, listed)) return choice;
  if (choice.type !== 'allowed_tools' || !Array.isArray(choice.tools)) {
    left.note('tool_choice', withoutDate(choice.type));
    return undefined;
  }
  const tools = choice.tools.filter((tool) => !isObject(tool) || mayPass(tool.type, listed));
  if (tools.length < choice.tools.length) left.note('', 'tool_choice');
  return tools.length === 0 ? undefined : { ...choice, tools };
}

function failureFrames(
  error: SvcError,
  asked: RequestBody,
  identity: AnswerIdentity,
  receipts: Readonly<Record<string, unknown>>,
) {
  const [begun] = RESPONSES.frames.opening(asked, identity);
  const { message } = openAiError(error);
  const response = isObject(begun?.response) ? begun.response : {};
  return [
    {
      type: 'response.failed',
      response: { ...response, status: 'failed', error: { code: failureCode(error), message }, ...receipts },
    },
  ];
}

/** The error code of a failed response. Clients act on some codes; all others are sent as `server_error`. */
function failureCode({ code, status, upstream }: SvcError): string {
  if (code.startsWith('SVC-PROV') && upstream !== undefined && meaningOf(upstream.code) !== undefined) return upstream.code;
  if (FINAL.has(code)) return 'invalid_prompt';
  return status === 429 ? 'rate_limit_exceeded' : 'server_error';
}
