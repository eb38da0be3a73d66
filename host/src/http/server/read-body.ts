import { SvcError } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { declaredLength, isAlwaysAdmitted, noRoom, SMALL_BODY_BYTES } from '../admission.ts';
import { decodedBody } from './decoded-body.ts';

/**
 * Reads a body into memory if there is room. If `Content-Length` is too large, the body is refused unread. Other bytes are counted as they arrive or
 * as they are decoded. The rest of a refused body is discarded.
 * @throws {SvcError} SVC-REQ-001, SVC-REQ-002, SVC-REQ-004 or SVC-BUSY-001
 */
export async function readBody(request: FastifyRequest): Promise<Buffer> {
  const { raw, bytes, routeOptions } = request;
  const { bodyLimit } = routeOptions;
  const length = declaredLength(request);
  if (length !== null && length > bodyLimit) throw tooLong(routeOptions);
  if (length !== null && !isAlwaysAdmitted(request, length) && !bytes.hasRoom(length)) throw noRoom();
  const body = decodedBody(raw);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let came = 0;
    const stop = (): void => {
      body.off('data', onData).off('end', onEnd);
      if (body !== raw) body.off('error', onCorrupt);
      raw.off('error', onBroken).off('close', onBroken);
    };
    const refuse = (error: SvcError): void => {
      stop();
      chunks.length = 0;
      arriving.drop();
      if (body !== raw) {
        raw.unpipe();
        body.on('error', () => undefined).destroy();
      }
      raw.on('error', () => undefined).resume();
      reject(error);
    };
    const arriving = bytes.arriving(() => refuse(noRoom()));
    const onData = (chunk: Buffer): void => {
      came += chunk.length;
      if (came > bodyLimit) refuse(tooLong(routeOptions));
      else if (!isAlwaysAdmitted(request, came) && !arriving.take(chunk.length)) refuse(noRoom());
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      arriving.complete();
      // Most bodies arrive in one piece, which need not be copied.
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, came));
    };
    // A body that has arrived completely is closed while it is still being decoded.
    const onBroken = (): void => {
      if (!raw.complete || body === raw) refuse(new SvcError('SVC-REQ-001', 'the body is shorter than its Content-Length'));
    };
    const onCorrupt = (): void => refuse(new SvcError('SVC-REQ-001', 'the body does not match its content encoding'));
    body.on('data', onData).on('end', onEnd);
    if (body !== raw) body.on('error', onCorrupt);
    raw.on('error', onBroken).on('close', onBroken);
  });
}

/** The error for a body that is too long. Some endpoints have a smaller limit than the setting. */
function tooLong({ bodyLimit: limit }: FastifyRequest['routeOptions']): SvcError {
  const which = limit === SMALL_BODY_BYTES ? 'this is the limit of this endpoint' : 'the limit is server.body_limit_bytes';
  return new SvcError('SVC-REQ-002', `the body is larger than ${limit} bytes; ${which}`);
}
