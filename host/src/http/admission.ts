import { isSvcError, SvcError } from '@svc/contracts';
import type { ByteReservation, BytesInFlight } from '@svc/kernel/admission';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes in flight of the request's body. Released when the response has been sent and the handler has ended. */
    bytes: ByteReservation;
  }
  interface FastifyContextConfig {
    /** Whether to accept a small body even when the bytes in flight are used up, because it helps requests in progress to end. */
    alwaysAdmitted?: boolean;
  }
}

/** Maximum length of a body that is always admitted. */
export const SMALL_BODY_BYTES = 16_384;

const RETRY_AFTER_S = 1;

/** Gives every request a reservation, which is empty until the body is read. */
export function useAdmission(app: FastifyInstance, bytes: BytesInFlight): void {
  app.decorateRequest('bytes');
  app.addHook('onRoute', holdWhileHandled);
  app.addHook('preParsing', (request, reply, payload, done) => {
    request.bytes = bytes.reserve();
    if (declaredLength(request) !== 0) releaseWhenAnswered(request.bytes, reply);
    done(null, payload);
  });
}

/** Whether a body of this length is accepted even when the bytes in flight are used up. */
export function isAlwaysAdmitted({ routeOptions }: FastifyRequest, length: number): boolean {
  return routeOptions.config.alwaysAdmitted === true && length <= SMALL_BODY_BYTES;
}

/** Whether a request was refused for lack of memory, possibly in the middle of its body. */
export function isNoRoom(error: unknown): boolean {
  return isSvcError(error) && error.code === 'SVC-BUSY-001';
}

/** Null: the body arrives in chunks of unknown total length. */
export function declaredLength({ headers, raw }: FastifyRequest): number | null {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  // HTTP/2 has no transfer codings, but may have a body without a length.
  if (coding !== undefined || (length === undefined && raw.httpVersionMajor > 1 && !raw.complete)) return null;
  return Number(length ?? 0);
}

function releaseWhenAnswered(reservation: ByteReservation, { raw }: FastifyReply): void {
  if (raw.closed) reservation.release();
  else raw.once('close', () => reservation.release());
}

/** Memory that a handler still uses stays reserved after the client disconnects. */
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
  return new SvcError('SVC-BUSY-001', 'other requests in progress use all of server.max_bytes_in_flight; try again later', {
    retry_after_s: RETRY_AFTER_S,
  });
}
