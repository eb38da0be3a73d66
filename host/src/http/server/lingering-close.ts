import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { declaredLength } from '../admission.ts';
import { drainBody } from './drain-body.ts';
import { isUnambiguous } from './http-message-rules.ts';

/**
 * Answers at once, but closes only once the body has come or the bounds of {@link drainBody} are reached. Closed at once, the connection of a client
 * that is still sending breaks, and it never reads the answer.
 */
export function useLingeringClose(app: FastifyInstance, isDraining: () => boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // So that kept connections go elsewhere with the next request.
    if (isDraining() && request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
    if (typeof payload !== 'string' || !isStillSending(request) || !closes(reply)) return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(answerThenDrain(payload, request.raw)));
  });
}

/** What comes of a message that can be read in two ways is not waited for. */
function isStillSending(request: FastifyRequest): boolean {
  return !request.raw.complete && declaredLength(request) !== 0 && isUnambiguous(request.raw);
}

function closes(reply: FastifyReply): boolean {
  return !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
}

async function* answerThenDrain(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text;
  await drainBody(request);
}
