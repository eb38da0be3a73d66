import { SvcError } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { OPERATION } from '../description/example-records.ts';
import { json, ORIGIN } from '../description/samples.ts';
import { isLimited } from '../key-ring.ts';
import { ledgerPage } from '../ledger-page.ts';
import { firstOf, linkNext, next, page, since_seq } from '../list-pages.ts';
import { OperationList, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import { checkpoint, proof, sendCheckpoint, sendProof } from './proofs.ts';
import { sendTile, tile } from './tiles.ts';

const whichRecords = Type.Object({ since_seq, ...page.query });
type Asked = Static<typeof whichRecords>;
const roles = ['audit', 'admin'] as const;
const who = 'For keys with the role `admin` or `audit` that are not limited to routes or namespaces.';

/** The operations log and its proofs. */
export function operationsEndpoints(app: Server, { operations, audit }: Pick<Gateway, 'operations' | 'audit'>): void {
  const { records } = operations;
  const sendRecords = async (query: Asked, url: string, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = { since_seq: firstOf(query), limit: query.limit ?? 1000 };
    const found = await ledgerPage((part) => records.records(part), asked);
    if (found.next !== null) linkNext(reply, url, String(found.next));
    return reply.type('application/json; charset=utf-8').send(found.body);
  };

  app.get(
    '/v1/audit/operations',
    {
      config: { ...page.config, roles, example: { response: json({ records: [OPERATION] }) } },
      schema: {
        operationId: 'listOperations',
        tags: ['audit'],
        summary: 'Read the operations log',
        description: `Records with a seq greater than since_seq, byte for byte as written. ${who} ${next}`,
        querystring: whichRecords,
        response: { 200: ref(OperationList) },
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
      config: { ...checkpoint.of(`${ORIGIN}/operations`), roles },
      schema: {
        operationId: 'getOperationsCheckpoint',
        tags: ['audit'],
        summary: 'Get the signed head of the operations log',
        description: `Like the checkpoint of the ledger, signed with the same keys. Its origin is that of the ledger with \`/operations\` appended. ${who}`,
        response: { 200: checkpoint.response },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendCheckpoint(reply, audit.operations);
    },
  );

  app.get(
    '/v1/audit/operations/proof',
    {
      config: { ...proof.of(`${ORIGIN}/operations`), roles },
      schema: {
        operationId: 'getOperationsProof',
        tags: ['audit'],
        summary: 'Get an inclusion or consistency proof for the operations log',
        description: `Like the proofs of the ledger. ${who}`,
        querystring: proof.query,
        response: { 200: proof.response },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendProof(reply, audit.operations, request.query);
    },
  );

  app.get(
    '/v1/audit/operations/tile/*',
    {
      config: { ...tile.config, roles },
      schema: {
        operationId: 'getOperationsTile',
        tags: ['audit'],
        summary: 'Get a tile of the operations log',
        description: `Like the tiles of the ledger, with the prefix \`/v1/audit/operations\`. ${who}`,
        params: tile.params,
        response: { 200: tile.response },
      },
    },
    async (request, reply) => {
      assertAuditor(request);
      return sendTile(request, reply, audit.operations);
    },
  );
}

/** @throws {SvcError} SVC-AUTH-002 */
function assertAuditor(request: FastifyRequest): void {
  if (isLimited(requireRole(request)))
    throw new SvcError(
      'SVC-AUTH-002',
      'this key is limited to some routes or namespaces, but operations cover all of them; use a key without limits',
    );
}
