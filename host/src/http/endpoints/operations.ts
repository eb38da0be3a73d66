import { SvcError } from '@svc/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { isLimited } from '../key-ring.ts';
import { ledgerPage } from '../ledger-page.ts';
import { firstOf, linkNext, next, page, since_seq } from '../list-pages.ts';
import { ErrorBody, OperationList, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';
import { aNote, aProof, sendCheckpoint, sendProof, whichProof } from './proofs.ts';

const whichRecords = Type.Object({ since_seq, ...page });
type Asked = Static<typeof whichRecords>;
const who = 'For keys with the role `admin` or `audit` that are limited neither to routes nor to namespaces.';

/** The operations log and its proofs, beside those of the ledger. */
export function operationsEndpoints(app: Server, { gateway }: Surface): void {
  const { records } = gateway.operations;
  const sendRecords = async (query: Asked, url: string, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = { since_seq: firstOf(query), limit: query.limit ?? 1000 };
    const found = await ledgerPage((part) => records.records(part), asked);
    if (found.next !== null) linkNext(reply, url, String(found.next));
    return reply.type('application/json; charset=utf-8').send(found.body);
  };

  app.get(
    '/v1/audit/operations',
    {
      schema: {
        operationId: 'listOperations',
        tags: ['audit'],
        summary: 'Read the operations log',
        description: `Records with a seq greater than since_seq, byte for byte as written. ${who} ${next}`,
        querystring: whichRecords,
        response: { 200: ref(OperationList), 400: ref(ErrorBody), 403: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendRecords(request.query, request.url, reply);
    },
  );

  app.get(
    '/v1/audit/operations/checkpoint',
    {
      schema: {
        operationId: 'getOperationsCheckpoint',
        tags: ['audit'],
        summary: 'The signed head of the operations log',
        description: `As of the ledger, by the same keys; its origin is that of the ledger and \`/operations\`. ${who}`,
        response: { 200: aNote, 403: ref(ErrorBody), 503: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendCheckpoint(reply, gateway.audit.operations);
    },
  );

  app.get(
    '/v1/audit/operations/proof',
    {
      schema: {
        operationId: 'getOperationsProof',
        tags: ['audit'],
        summary: 'Prove an operation, or that the operations log only grew',
        description: `As of the ledger. ${who}`,
        querystring: whichProof,
        response: { 200: aProof, 400: ref(ErrorBody), 403: ref(ErrorBody), 503: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendProof(reply, gateway.audit.operations, request.query);
    },
  );
}

/** @throws {SvcError} SVC-AUTH-002 */
function assertAuditor(request: FastifyRequest): void {
  if (isLimited(requireRole(request, 'audit', 'admin')))
    throw new SvcError('SVC-AUTH-002', 'operations concern all routes and namespaces, but this key is limited to some');
}
