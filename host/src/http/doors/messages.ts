import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type JsonObject, type JsonValue, type RequestBody, type SvcError, withoutDate } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { arrayAt, badField, MESSAGES, objectAt } from '@svc/protocols';
import { anthropicError } from '../errors.ts';
import type { DoorRequest } from './door.ts';
import { ProtocolWriter } from './protocol-writer.ts';
import { UnsupportedFields } from './unsupported-fields.ts';
import { isListed, withChanged } from './vendor-tools.ts';

/** Guaranteed by the schema of the endpoint. */
export type MessagesRequest = { readonly model: string; readonly stream?: boolean | null } & JsonObject;

const ROLES: readonly unknown[] = ['user', 'assistant', 'system'];

/** Only the vendor has the earlier turns of a thread. */
const WITH_VENDOR =
  'keeps the conversation at the provider, where guards cannot read it; leave it out and send the whole conversation';

/** A request of Anthropic's Messages API. @throws {SvcError} SVC-REQ-001 */
export function readMessages(
  { stream, ...body }: MessagesRequest,
  headers: IncomingHttpHeaders,
  { vendor_tools }: Pick<RuntimeRoute, 'vendor_tools'>,
): DoorRequest {
  for (const [index, value] of arrayAt(body.messages, 'body/messages').entries()) {
    const { role } = objectAt(value, `body/messages/${index}`);
    // Guards select text by role, so an unknown role is refused.
    if (!ROLES.includes(role)) throw badField(`body/messages/${index}/role`, 'must be one of user, assistant, system');
  }
  if (body.thread != null) throw badField('body/thread', WITH_VENDOR);
  const left = new UnsupportedFields();
  const request: RequestBody = { ...withoutVendorTools(body, vendor_tools, left), model: body.model, ...betasIn(headers) };
  return {
    protocol: MESSAGES,
    request,
    stream: stream === true,
    unsupported: left.paths,
    writer: new ProtocolWriter(MESSAGES, request, failureFrames),
  };
}

/** The beta features in a header. The provider passes them on. */
function betasIn({ 'anthropic-beta': given }: IncomingHttpHeaders): { anthropic_beta?: string[] } {
  const names = String(given ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? {} : { anthropic_beta: names };
}

/** Removes vendor tools that the route does not allow. Agents always send such tools, and models work without them. */
function withoutVendorTools(body: JsonObject, listed: readonly string[], left: UnsupportedFields): JsonObject {
  const { mcp_servers, tools, tool_choice } = body;
  const changed: Record<string, JsonValue | undefined> = {};
  if (mcp_servers != null && !isListed('mcp_toolset', listed)) {
    left.note('', 'mcp_servers');
    changed.mcp_servers = undefined;
  }
  const { container } = body;
  if (isObject(container) && container.skills != null && !isListed('code_execution', listed)) {
    left.note('', 'container.skills');
    changed.container = withChanged(container, { skills: undefined });
  }
  const passes = (tool: unknown): boolean =>
    !isObject(tool) || tool.type == null || tool.type === 'custom' || isListed(tool.type, listed);
  const dropped = (Array.isArray(tools) ? tools : []).filter((tool): tool is JsonObject => !passes(tool));
  for (const { type } of dropped) left.note('tools', withoutDate(type));
  if (Array.isArray(tools) && dropped.length > 0) {
    const passing = tools.filter(passes);
    const isGone = isObject(tool_choice) && tool_choice.type === 'tool' && dropped.some(({ name }) => name === tool_choice.name);
    if (isGone) left.note('', 'tool_choice');
    // Without tools, there is nothing to choose.
    changed.tools = passing.length === 0 ? undefined : passing;
    if (isGone || passing.length === 0) changed.tool_choice = undefined;
  }
  return left.paths.length === 0 ? body : withChanged(body, changed);
}

function failureFrames(error: SvcError, _asked: unknown, _identity: unknown, { svc_run_id }: Readonly<Record<string, unknown>>) {
  return [{ type: 'error', error: anthropicError(error), svc_run_id }];
}
