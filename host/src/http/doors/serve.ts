import { Readable } from 'node:stream';
import type { RunOutcome } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../client-gone.ts';
import { admitRun, releasedAfter } from '../limits.ts';
import { originOf } from '../own-origin.ts';
import { receipts } from '../receipts.ts';
import { noteRun } from '../request-log.ts';
import type { Surface } from '../surface.ts';
import { traceparentOf } from '../trace-context.ts';
import { askedRoute } from './asked-route.ts';
import { continueRun } from './continue-run.ts';
import type { AnswerWriter, ReadRequest } from './door.ts';
import { EVENT_STREAM } from './event-stream.ts';
import { FrameStream } from './frame-stream.ts';
import { answerBeforeRepetition, leaveOutStops } from './leave-out-stops.ts';
import { inForm, type StopForm, stopForm } from './stop-form.ts';
import { tellUnsupported, unsupportedBy } from './unsupported-by.ts';

/** Serves a door: one request is one run of the route that its `model` names. For its endpoint's schema see {@link askedRoute}. */
export function serveDoor<Body>(surface: Surface, read: ReadRequest<Body>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { principal, runtime } = askedRoute(request, surface);
    // As the schema has it.
    const asked = read(request.body as Body, request.headers, runtime);
    const { request: chat, stream, conversation = null, continues, writer } = asked;
    const admitted = admitRun(surface.limits, principal, chat, runtime.name, reply);
    const { release } = admitted;
    const { stored, under_way } = surface.gateway.runs;
    const continued =
      continues == null
        ? null
        : await under_way.during(continueRun(chat.messages, continues, request, principal, runtime.name, admitted, surface));
    const origin = originOf(request);
    const stopsOf = (run_id: string) => stored.stops(run_id, principal.principal_id, runtime.name);
    // A conversation that is kept has no stops: its messages stay as they are kept.
    const mayRepeat = continued === null && answerBeforeRepetition(chat.messages) !== null;
    const isRepeat = mayRepeat && (await under_way.during(leaveOutStops(chat.messages, origin, stopsOf)));
    const unsupported = isRepeat ? [...asked.unsupported, 'messages.stop'] : asked.unsupported;
    tellUnsupported(reply, unsupported);
    const form = stopForm(runtime, chat, origin);
    const frames = stream ? new FrameStream(reply, surface.keep_alive_ms, writer) : null;
    const begun = surface.gateway.runs.start(
      {
        route: runtime,
        principal_id: principal.principal_id,
        team: principal.team,
        key_id: principal.key_id,
        protocol: CHAT,
        request: chat,
        unsupported,
        approvers: runtime.approvers,
        keepAnswer: false,
        conversation,
        continued,
        keepRequest: request.headers['x-svc-keep'] === 'request',
        synchronous: true,
        idempotency_key: null,
        traceparent: traceparentOf(request),
        sink: frames,
        bytes: request.bytes,
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
    else void reply.headers(EVENT_STREAM).send(Readable.from(writer.end(outcome, form)));
    return reply;
  };
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
