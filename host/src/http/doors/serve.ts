import { Readable } from 'node:stream';
import type { RunOutcome } from '@svc/kernel';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { CHAT } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../client-gone.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { originOf } from '../own-origin.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import type { Surface } from '../surface.ts';
import { type AskedRoute, askedBy, askedRoute } from './asked-route.ts';
import { continueRun } from './continue-run.ts';
import type { AnswerWriter, DoorRequest, ReadRequest } from './door.ts';
import { FrameStream } from './frame-stream.ts';
import { answerBeforeRepetition, leaveOutStops } from './leave-out-stops.ts';
import { inForm, type StopForm, stopForm } from './stop-form.ts';
import { tellUnsupported, unsupportedBy } from './unsupported-by.ts';

/**
 * What of a request has no place in any protocol that the route's endpoints speak: it is told before the run. Where one of them speaks the
 * request's own, each attempt tells what it lost.
 * @throws {SvcError} SVC-REQ-001 for what is no request
 */
function lostBetween({ protocol, request }: DoorRequest, { endpoints }: RuntimeRoute): readonly string[] {
  const isSpoken = endpoints.some(({ instance }) => instance.protocols?.includes(protocol.id) ?? protocol === CHAT);
  return isSpoken ? [] : (protocol.bridge?.requestToChat(request).lost ?? []);
}

/** Serves a door: one request is one run of the route that its `model` names. For its endpoint's schema see {@link askedRoute}. */
export function serveDoor<Body>(surface: Surface, read: ReadRequest<Body>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const route = askedRoute(request, surface);
    // As the schema has it.
    return serveRun(read(request.body as Body, request.headers, route.runtime), route, surface, request, reply);
  };
}

/** Serves one request as a run of a route. */
export async function serveRun(
  asked: DoorRequest,
  route: AskedRoute,
  surface: Surface,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { principal, runtime } = route;
  const { protocol, request: body, stream, conversation = null, continues, writer } = asked;
  const lost = lostBetween(asked, runtime);
  const admitted = admitRun(surface.limits, principal, asked, runtime.name, reply);
  const { release } = admitted;
  const { stored, under_way } = surface.gateway.runs;
  const { continued, lost: lostOfEarlier } =
    continues == null
      ? { continued: null, lost: [] }
      : await under_way.during(continueRun(asked, continues, request, principal, runtime.name, admitted, surface));
  const origin = originOf(request);
  const stopsOf = (run_id: string) => stored.stops(run_id, principal.principal_id, runtime.name);
  // A conversation that is kept has no stops: its messages stay as they are kept.
  const mayRepeat = continued === null && answerBeforeRepetition(protocol, body) !== null;
  const isRepeat = mayRepeat && (await under_way.during(leaveOutStops(protocol, body, origin, stopsOf)));
  const unsupported = [...asked.unsupported, ...lost, ...lostOfEarlier, ...(isRepeat ? ['messages.stop'] : [])];
  tellUnsupported(reply, unsupported);
  const form = stopForm(runtime, asked, origin);
  const frames = stream ? new FrameStream(reply, surface.keep_alive_ms, writer) : null;
  const begun = surface.gateway.runs.start(
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
  tellUnsupported(reply, [...unsupported, ...unsupportedBy(outcome)]);
  if (outcome.error !== null) throw outcome.error;
  if (frames === null) void reply.send(writer.whole(outcome, form));
  else void reply.headers(writer.head).send(Readable.from(writer.end(outcome, form)));
  return reply;
}

/** Ends a response that has begun when its run has come to rest. */
function endWith(started: Promise<RunOutcome>, form: StopForm, writer: AnswerWriter, frames: FrameStream): void {
  const end = (outcome: RunOutcome): void => {
    // Nobody reads any more, or not for so long that the run was given up.
    if (outcome.events.some(({ event_type }) => event_type === 'disconnected')) frames.leave();
    else frames.end(writer.end(outcome, form));
  };
  const fail = (error: unknown): void => frames.end([writer.failed(frames.run_id, error)]);
  void started.then(end).catch(fail);
}
