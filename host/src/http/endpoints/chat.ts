import { type ChatRequest as Chat, SvcError } from '@svc/contracts';
import { assertKnownRoles, type RunOutcome } from '@svc/kernel';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { requireRole, requireRoute } from '../auth.ts';
import { clientGone } from '../client-gone.ts';
import { FrameStream } from '../frame-stream.ts';
import { EVENT_STREAM, errorFrame, frameText, lastFrames } from '../frames.ts';
import { receipts } from '../receipts.ts';
import { noteRoute } from '../request-log.ts';
import { ChatCompletion, ChatCompletionChunk, ChatErrorFrame, ChatRequest, ErrorBody, ref } from '../schemas.ts';
import { stoppedCompletion } from '../stopped-completion.ts';
import { findRoute, type Server, type Surface } from '../surface.ts';
import { traceparentOf } from '../trace-context.ts';

export function chatEndpoints(app: Server, surface: Surface): void {
  app.post(
    '/v1/chat/completions',
    {
      // An unknown route is told before anything is said of the messages.
      attachValidation: true,
      config: { metered: true },
      schema: {
        operationId: 'createChatCompletion',
        tags: ['chat'],
        summary: 'Ask a model through a route',
        description:
          'A blocked, paused or denied request is not an HTTP error: it returns a completion with finish_reason content_filter.',
        headers: Type.Object({
          'x-svc-keep': Type.Optional(
            Type.Literal('request', {
              description: 'Stores the request sent to the model, with the edits of the guards, for /v1/runs/{run_id}/request.',
            }),
          ),
        }),
        body: ref(ChatRequest),
        response: {
          200: {
            description:
              'The complete answer, or server-sent events with `stream`. Comment lines keep the connection of an idle stream alive.',
            content: {
              'application/json': { schema: ref(ChatCompletion) },
              'text/event-stream': { schema: Type.Union([ref(ChatCompletionChunk), ref(ChatErrorFrame)]) },
            },
          },
          400: ref(ErrorBody),
          404: ref(ErrorBody),
        },
      },
    },
    async (request, reply) => {
      const principal = requireRole(request, 'call');
      const body: unknown = request.body;
      const name = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
      if (typeof name !== 'string') throw new SvcError('SVC-REQ-001', 'body/model must be the name of a route');
      const { runtime } = findRoute(surface, name);
      noteRoute(request, surface, name);
      requireRoute(principal, name);
      if (request.validationError !== undefined) throw request.validationError;
      const asked = request.body as Chat;
      assertKnownRoles(asked.messages);
      const { stream, ...chat } = asked;
      const frames = stream === true ? new FrameStream(reply, surface.keep_alive_ms) : null;
      const include_usage = asked.stream_options?.include_usage === true;
      const started = surface.gateway.runs.start(
        {
          route: runtime,
          principal_id: principal.principal_id,
          request: chat,
          approvers: runtime.approvers,
          keepAnswer: false,
          keepRequest: request.headers['x-svc-keep'] === 'request',
          synchronous: true,
          idempotency_key: null,
          traceparent: traceparentOf(request),
          sink: frames,
          bytes: request.bytes,
        },
        clientGone(reply),
      );
      if (frames !== null && (await frames.begunBefore(started))) {
        endWith(started, name, include_usage, frames);
        return reply;
      }
      const outcome = await started;
      receipts(outcome, reply);
      if (outcome.error !== null) throw outcome.error;
      if (frames === null) return reply.send(outcome.completion ?? stoppedCompletion(outcome));
      return sendFrames(reply, lastFrames(outcome, include_usage));
    },
  );
}

function sendFrames(reply: FastifyReply, frames: string): FastifyReply {
  return reply.headers(EVENT_STREAM).send(frames);
}

/** Ends a response that has begun when its run has come to rest. */
function endWith(started: Promise<RunOutcome>, route: string, include_usage: boolean, frames: FrameStream): void {
  const end = (outcome: RunOutcome): void => {
    // Nobody reads any more, or not for so long that the run was given up.
    if (outcome.events.some(({ event_type }) => event_type === 'disconnected')) frames.leave();
    else frames.end(lastFrames(outcome, include_usage));
  };
  // Without evidence there is no `[DONE]`.
  const fail = (error: unknown): void => frames.end(frameText(errorFrame(frames.run_id, route, error)));
  void started.then(end).catch(fail);
}
