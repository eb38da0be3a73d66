import { SvcError } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { requireRole } from '../auth.ts';
import type { Server } from '../typed-server.ts';
import type { VisitorsLog } from '../visitors-log.ts';

// Not application/timestamp-reply: generators of clients do not know it.
const REPLY = 'application/octet-stream';

/** @param visitors the log for callers without a key; null: a key is needed */
export function timestampEndpoint(app: Server, { ledger }: Gateway['audit'], visitors: VisitorsLog | null): void {
  app.get(
    '/v1/audit/ledger/timestamp',
    {
      config: {
        roles: ['audit'],
        public: visitors !== null,
        errors: ['SVC-REQ-003', 'SVC-STORE-001', 'SVC-LIMIT-003'],
        example: { response: { [REPLY]: '' } },
      },
      schema: {
        operationId: 'getTimestamp',
        tags: ['audit'],
        summary: 'Get the time stamp of a checkpoint',
        description:
          'A TimeStampResp (RFC 3161, DER) of the authority `ledger.timestamps`. Its token is over the SHA-256 of all bytes of `/v1/audit/ledger/checkpoint?timestamped=true`. 404 if time stamps are not configured or none exists yet. Needs no key if `ledger.public_tiles` is set.',
        response: {
          200: { description: 'A TimeStampResp in DER.', content: { [REPLY]: { schema: Type.String({ format: 'binary' }) } } },
        },
      },
    },
    async (request, reply) => {
      if (visitors === null) requireRole(request);
      const stamped = await (visitors ?? ledger).stamped();
      if (stamped === null) throw new SvcError('SVC-REQ-003', 'no checkpoint has a time stamp yet');
      return sendReply(reply, stamped.reply);
    },
  );
}

function sendReply(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return reply.type(REPLY).send(Buffer.from(bytes));
}
