import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { declaredLength } from '../admission.ts';
import { drainBody } from './drain-body.ts';
import { isUnambiguous } from './http-message-rules.ts';

/**
 * Answers at once, but closes the connection only when the body has arrived or a limit of {@link drainBody} is reached. Otherwise, a client that is
 * still sending would lose the connection before it reads the response.
 */
export function useLingeringClose(app: FastifyInstance, isDraining: () => boolean): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // The client then sends its next request to another gateway.
    if (isDraining() && request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
    if (typeof payload !== 'string' || !isStillSending(request) || !closes(reply)) return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(answerThenDrain(payload, request.raw)));
  });
}

/** Whether the client is still sending its body. False for an ambiguous message: the connection then closes without waiting for the rest. */
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
