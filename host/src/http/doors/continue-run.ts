import { type ChatMessage, isProviderError, JsonCounter, type Protocol, SvcError } from '@svc/contracts';
import type { ByteReservation } from '@svc/kernel/admission';
import { callerError } from '@svc/kernel/endpoints';
import type { ConversationView, Gateway, RunRequest } from '@svc/runtime';
import type { FastifyRequest } from 'fastify';
import { noRoom } from '../admission.ts';
import type { Principal } from '../key-ring.ts';
import { type Admitted, tokensIn } from '../limits.ts';
import type { DoorRequest } from './door.ts';

/**
 * Puts the conversation of an earlier run of this principal and route into the request. Masked texts stay masked, and guards see the whole
 * conversation again. The conversation counts as bytes in flight before it is parsed, and its tokens count like those of the request.
 * @returns `continued`: where earlier runs store the conversation; `lost`: fields that were lost between two protocols
 * @throws {SvcError} SVC-RUN-001 for an unknown run, and for a run of another caller; SVC-RUN-005, SVC-BUSY-001
 */
export async function continueRun(
  { protocol, request }: Pick<DoorRequest, 'protocol' | 'request'>,
  { run_id, at }: NonNullable<DoorRequest['continues']>,
  { bytes }: FastifyRequest,
  { principal_id }: Principal,
  route: string,
  { hold, release }: Admitted,
  gateway: Pick<Gateway, 'runs' | 'assertChecked'>,
): Promise<{ readonly continued: NonNullable<RunRequest['continued']>; readonly lost: readonly string[] }> {
  try {
    gateway.assertChecked();
    const found = await gateway.runs.stored.conversation(run_id, principal_id, route, admitTo(bytes));
    if (found === null) throw new SvcError('SVC-RUN-001', NOT_THERE, { param: 'previous_response_id' });
    const { turns, lost } = inProtocol(found, protocol);
    hold(() => tokensIn(turns));
    const own = protocol.turnsOf(request);
    Object.assign(request, protocol.withTurns(request, [...own.slice(0, at), ...turns, ...own.slice(at)]));
    // A converted conversation is not stored in its converted form.
    return { continued: { run_id, at, links: turns === found.turns ? found.links : [] }, lost };
  } catch (error) {
    release('complete');
    throw isProviderError(error) ? callerError(error) : error;
  }
}

/** Earlier releases stored conversations in the chat format. */
function inProtocol(
  { protocol: kept, turns }: ConversationView,
  protocol: Protocol,
): { readonly turns: readonly unknown[]; readonly lost: readonly string[] } {
  if (kept === protocol || protocol.bridge === null) return { turns, lost: [] };
  const { body, lost } = protocol.bridge.requestFromChat({ model: '', messages: turns as ChatMessage[] });
  return { turns: protocol.turnsOf(body), lost };
}

const NOT_THERE =
  'this key cannot continue the response body/previous_response_id on this route: it is unknown, has no answer, was requested with store: false, or is no longer stored; send the whole conversation as input';

/** @throws {SvcError} SVC-BUSY-001 if there is no room now; SVC-REQ-002 if the conversation is too large at any time */
function admitTo(bytes: ByteReservation): (json: Uint8Array) => void {
  const counter = new JsonCounter();
  return (json) => {
    counter.begin();
    // The counter stops at a limit of JSON. The request is then refused when it is checked as a whole.
    counter.push(json);
    if (!bytes.fitsAlone('request', json.length))
      throw new SvcError('SVC-REQ-002', 'the conversation is larger than server.max_bytes_in_flight; send a shorter one');
    if (!bytes.grow('request', json.length) || !bytes.weigh('request', counter.values)) throw noRoom();
  };
}
