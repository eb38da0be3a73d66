import { SvcError } from '@svc/contracts';
import { base64Of, type Hash } from '@svc/ledger';
import type { Proofs } from '@svc/runtime';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { requireRole } from '../auth.ts';
import { ConsistencyProof, ErrorBody, LedgerKeys, ref } from '../schemas.ts';
import type { Server, Surface } from '../surface.ts';

const size = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));
const NOTE = 'text/plain; charset=utf-8';

export const whichProof = Type.Object({
  seq: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Which record.' })),
  from: size('Size of the smaller tree.'),
  to: size('Size of the larger tree. Default: the newest checkpoint.'),
});
export const aProof = {
  description: 'A proof file, or a consistency proof.',
  content: { 'text/plain': { schema: Type.String() }, 'application/json': { schema: ref(ConsistencyProof) } },
};
export const aNote = { description: 'A signed note.', content: { 'text/plain': { schema: Type.String() } } };

/** What the ledger proves by signature. Whoever may read any of the ledger may read these: they hold hashes, and the records asked for. */
export function proofEndpoints(app: Server, { gateway }: Surface): void {
  app.get(
    '/v1/audit/ledger/checkpoint',
    {
      schema: {
        operationId: 'getCheckpoint',
        tags: ['audit'],
        summary: 'The signed head of the ledger',
        description:
          'A checkpoint (https://c2sp.org/tlog-checkpoint) of the current ledger: origin, size and root of the RFC 6962 tree over the record hashes, signed with Ed25519. Keep it: it detects any later change, truncation or rewrite.',
        response: {
          200: aNote,
          503: ref(ErrorBody),
        },
      },
    },
    async (request, reply) => {
      requireRole(request, 'audit');
      return sendCheckpoint(reply, gateway.audit.ledger);
    },
  );

  app.get(
    '/v1/audit/ledger/keys',
    {
      schema: {
        operationId: 'getLedgerKeys',
        tags: ['audit'],
        summary: 'The public keys of the ledger',
        description:
          'The keys that sign checkpoints, as verifier keys of signed notes (https://c2sp.org/signed-note), the newest first. Compare them once with keys obtained from the operator out of band: a dishonest server can return false keys.',
        response: { 200: ref(LedgerKeys) },
      },
    },
    async (request) => {
      requireRole(request, 'audit');
      const { origin, verifier_keys } = gateway.audit.ledger.keys;
      return { origin, verifier_keys: [...verifier_keys] };
    },
  );

  app.get(
    '/v1/audit/ledger/proof',
    {
      schema: {
        operationId: 'getProof',
        tags: ['audit'],
        summary: 'Prove a record, or that the ledger only grew',
        description:
          'With `seq`: an inclusion proof file (https://c2sp.org/tlog-proof) with the record in `extra` and a checkpoint. With `from` and `to`: a consistency proof that the ledger of `from` records is a prefix of the one of `to` (RFC 6962, 2.1.2).',
        querystring: whichProof,
        response: {
          200: aProof,
          400: ref(ErrorBody),
          503: ref(ErrorBody),
        },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'audit');
      if (request.query.seq !== undefined && caller.routes !== null)
        throw new SvcError('SVC-AUTH-002', 'proofs cover all routes, but this key is limited to some');
      return sendProof(reply, gateway.audit.ledger, request.query);
    },
  );
}

/** @throws {SvcError} SVC-STORE-001 */
export async function sendCheckpoint(reply: FastifyReply, log: Proofs): Promise<FastifyReply> {
  return reply.type(NOTE).send((await log.checkpoint()).note);
}

/** @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
export async function sendProof(
  reply: FastifyReply,
  log: Proofs,
  { seq, from, to }: Static<typeof whichProof>,
): Promise<FastifyReply> {
  if ((seq === undefined) === (from === undefined) || (seq !== undefined && to !== undefined))
    throw new SvcError('SVC-REQ-001', 'give either seq, or from and to');
  if (seq !== undefined) return reply.type(NOTE).send(await log.inclusion(seq));
  const proof = await log.consistency(from ?? 0, to ?? null);
  const path = proof.path.map(base64Of);
  const body = JSON.stringify({ from: head(proof.from), to: head(proof.to), path });
  return reply.type('application/json; charset=utf-8').send(body);
}

function head({ size: leaves, root }: { readonly size: number; readonly root: Hash }) {
  return { size: leaves, root: base64Of(root) };
}
