import { isSvcError, SvcError } from '@svc/contracts';
import type { ByteReservation, BytesInFlight } from '@svc/kernel/admission';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body holds of the bytes in flight; released once it is answered and its handler has ended. */
    bytes: ByteReservation;
  }
  interface FastifyContextConfig {
    /** Its body is small and is taken at the bound, too: it moves what is under way. */
    alwaysAdmitted?: boolean;
  }
}

/** For the `bodyLimit` of what is always admitted. */
export const SMALL_BODY_BYTES = 16_384;

const RETRY_AFTER_S = 1;

/** Every request has a reservation, empty until its body is read. */
export function useAdmission(app: FastifyInstance, bytes: BytesInFlight): void {
  app.decorateRequest('bytes');
  app.addHook('onRoute', holdWhileHandled);
  app.addHook('preParsing', (request, reply, payload, done) => {
    request.bytes = bytes.reserve();
    if (declaredLength(request) !== 0) releaseWhenAnswered(request.bytes, reply);
    done(null, payload);
  });
}

/** Whether a request was refused for want of memory, in the middle of its body too. */
export function isNoRoom(error: unknown): boolean {
  return isSvcError(error) && error.code === 'SVC-BUSY-001';
}

/** Null: it comes in chunks, and its length is not known before. */
export function declaredLength({ headers, raw }: FastifyRequest): number | null {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  // HTTP/2 knows no transfer codings: a body without a length comes all the same.
  if (coding !== undefined || (length === undefined && raw.httpVersionMajor > 1 && !raw.complete)) return null;
  return Number(length ?? 0);
}

function releaseWhenAnswered(reservation: ByteReservation, { raw }: FastifyReply): void {
  if (raw.closed) reservation.release();
  else raw.once('close', () => reservation.release());
}

/** A caller that goes away frees nothing that is still worked on. */
function holdWhileHandled(route: RouteOptions): void {
  const { handler } = route;
  if (route.method === 'GET' || route.method === 'HEAD') return;
  route.handler = async function handled(request, reply) {
    const { bytes } = request;
    bytes.hold();
    try {
      return await handler.call(this, request, reply);
    } finally {
      bytes.release();
    }
  };
}

export function noRoom(): SvcError {
  return new SvcError('SVC-BUSY-001', 'requests in flight take all of server.max_bytes_in_flight; try again later', {
    retry_after_s: RETRY_AFTER_S,
  });
}
