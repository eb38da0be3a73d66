import { Readable } from 'node:stream';
import type { RunOutcome } from '@svc/kernel';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { CHAT } from '@svc/protocols';
import type { Gateway } from '@svc/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { clientGone } from '../client-gone.ts';
import type { Routes } from '../find-route.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { originOf } from '../own-origin.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import { type AskedRoute, askedBy, askedRoute } from './asked-route.ts';
import { continueRun } from './continue-run.ts';
import type { AnswerWriter, DoorRequest, ReadRequest } from './door.ts';
import { FrameStream } from './frame-stream.ts';
import { answerBeforeRepetition, leaveOutStops } from './leave-out-stops.ts';
import { inForm, type StopForm, stopForm } from './stop-form.ts';
import { reportUnsupported, unsupportedBy } from './unsupported-by.ts';

/** The parts that a door needs to serve a request as a run. */
export interface DoorParts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'runs' | 'states' | 'assertChecked'>;
  readonly limits: RateLimits;
  /** A stream that is silent for this long gets a comment, which keeps its connection open. */
  readonly keep_alive_ms: number;
}

/**
 * The fields of a request that no protocol of the route's endpoints can express. They are reported before the run. If an endpoint supports the
 * request's own protocol, each attempt reports the fields that it lost.
 * @throws {SvcError} SVC-REQ-001 for an invalid request
 */
function lostBetween({ protocol, request }: DoorRequest, { endpoints }: RuntimeRoute): readonly string[] {
  const isSpoken = endpoints.some(({ instance }) => instance.protocols?.includes(protocol.id) ?? protocol === CHAT);
  return isSpoken ? [] : (protocol.bridge?.requestToChat(request).lost ?? []);
}

/** Serves a door: one request is one run of the route that its `model` names. The endpoint must meet the conditions of {@link askedRoute}. */
export function serveDoor<Body>(parts: DoorParts, read: ReadRequest<Body>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const route = askedRoute(request, parts.active);
    // The schema has been checked.
    return serveRun(read(request.body as Body, request.headers, route.runtime), route, parts, request, reply);
  };
}

/** Serves one request as a run of a route. */
export async function serveRun(
  asked: DoorRequest,
  route: AskedRoute,
  { gateway, limits, keep_alive_ms }: DoorParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { principal, runtime } = route;
  const { protocol, request: body, stream, conversation = null, continues, writer } = asked;
  const lost = lostBetween(asked, runtime);
  const admitted = admitRun(limits, principal, asked, runtime.name, reply);
  const { release } = admitted;
  const { stored, under_way } = gateway.runs;
  const { continued, lost: lostOfEarlier } =
    continues == null
      ? { continued: null, lost: [] }
      : await under_way.during(continueRun(asked, continues, request, principal, runtime.name, admitted, gateway));
  const origin = originOf(request);
  const stopsOf = (run_id: string) => stored.stops(run_id, principal.principal_id, runtime.name);
  // A stored conversation contains no stops, so its messages stay as they were stored.
  const mayRepeat = continued === null && answerBeforeRepetition(protocol, body) !== null;
  const isRepeat = mayRepeat && (await under_way.during(leaveOutStops(protocol, body, origin, stopsOf)));
  const unsupported = [...asked.unsupported, ...lost, ...lostOfEarlier, ...(isRepeat ? ['messages.stop'] : [])];
  reportUnsupported(reply, unsupported);
  const form = stopForm(runtime, asked, origin);
  const frames = stream ? new FrameStream(reply, keep_alive_ms, writer) : null;
  const begun = gateway.runs.start(
    {
      ...askedBy(route, request),
      protocol,
      request: body,
      unsupported,
      approvers: runtime.approvers,
      conversation,
      continued,
      synchronous: true,
      sink: frames,
    },
    clientGone(reply),
  );
  noteRun(request, begun);
  const started = releasedAfter(begun, release).then((outcome) => inForm(outcome, form));
  if (frames !== null && (await frames.begunBefore(started))) {
    endWith(started, form, writer, frames);
    return reply;
  }
  const outcome = await started;
  receipts(outcome, reply);
  reportUnsupported(reply, [...unsupported, ...unsupportedBy(outcome)]);
  if (outcome.error !== null) throw outcome.error;
  if (frames === null) void reply.send(writer.whole(outcome, form));
  else void reply.headers(writer.head).send(Readable.from(writer.end(outcome, form)));
  return reply;
}

/** Ends a response that has begun, when its run has paused or ended. */
function endWith(started: Promise<RunOutcome>, form: StopForm, writer: AnswerWriter, frames: FrameStream): void {
  const end = (outcome: RunOutcome): void => {
    // The client disconnected, or did not read for too long.
    if (outcome.events.some(({ event_type }) => event_type === 'disconnected')) frames.leave();
    else frames.end(writer.end(outcome, form));
  };
  const fail = (error: unknown): void => frames.end([writer.failed(frames.run_id, error)]);
  void started.then(end).catch(fail);
}
