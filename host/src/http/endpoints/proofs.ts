import { Readable } from 'node:stream';
import { SvcError } from '@svc/contracts';
import { base64Of, type Hash } from '@svc/ledger';
import type { Gateway, Proofs, SessionExport } from '@svc/runtime';
import type { FastifyContextConfig, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { AtOnce } from '../at-once.ts';
import { requireRole } from '../auth.ts';
import { EVIDENCE } from '../description/example-records.ts';
import { json, ORIGIN } from '../description/samples.ts';
import { ConsistencyProof, eg, LedgerKeys, ref } from '../schemas.ts';
import type { Server } from '../typed-server.ts';
import type { VisitorsLog } from '../visitors-log.ts';

const size = (description: string, example: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, ...eg(example) }));
const NOTE = 'text/plain; charset=utf-8';
/** Each export reads the session twice, and needs a signature of its own. */
const EXPORTS_AT_ONCE = 4;
const ROOTS = ['uxRR/UMCBp9wnu9Yg2NXr9fNuAMJONygn5YbebXNTXQ=', 'CJEZREVV3TC9V4g4zbKU4I3HkBxmdNa1g4J8DPIV0s8='] as const;
const noteOf = (origin: string) =>
  `${origin}\n2\n${ROOTS[1]}\n\n— ${ORIGIN} RjQOaAXfGF/xpFENNTax1Y666lpl/tiLaRIW7LPt07VvWCoIYdzGYTIWEvzZx5qJiqB/vB02HnAjinT396yBGfDhgAg=\n`;

/** The checkpoint of a log. */
export const checkpoint = {
  of: (origin: string): FastifyContextConfig => ({
    errors: ['SVC-STORE-001'],
    example: { response: { 'text/plain': noteOf(origin) } },
  }),
  response: { description: 'A signed note.', content: { 'text/plain': { schema: Type.String() } } },
};

/** The proofs of a log. */
export const proof = {
  of: (origin: string): FastifyContextConfig => ({
    errors: ['SVC-STORE-001'],
    example: {
      response: {
        'text/plain': `c2sp.org/tlog-proof@v1\nindex 1\n${ROOTS[0]}\n\n${noteOf(origin)}`,
        ...json({ from: { size: 1, root: ROOTS[0] }, to: { size: 2, root: ROOTS[1] }, path: [ROOTS[0]] }),
      },
    },
  }),
  query: Type.Object({
    seq: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: '`seq` of the record to prove.',
        ...eg(EVIDENCE.seq),
      }),
    ),
    from: size('Size of the smaller tree.', 1),
    to: size('Size of the larger tree. Default: the newest checkpoint.', 2),
  }),
  response: {
    description: 'A proof file, or a consistency proof.',
    content: { 'text/plain': { schema: Type.String() }, 'application/json': { schema: ref(ConsistencyProof) } },
  },
};

/**
 * The signed proofs of the ledger. They contain hashes and the requested record, so the right to read any part of the ledger is enough.
 * @param visitors the log for callers without a key, who may read the checkpoint; null: a key is needed
 */
export function proofEndpoints(app: Server, audit: Gateway['audit'], visitors: VisitorsLog | null): void {
  const { ledger } = audit;
  const turns = new AtOnce(EXPORTS_AT_ONCE);
  app.get(
    '/v1/audit/ledger/checkpoint',
    {
      config: {
        ...checkpoint.of(ORIGIN),
        errors: ['SVC-REQ-001', 'SVC-REQ-003', 'SVC-STORE-001', 'SVC-LIMIT-003'],
        roles: ['audit'],
        public: visitors !== null,
      },
      schema: {
        operationId: 'getCheckpoint',
        tags: ['audit'],
        summary: 'Get the signed head of the ledger',
        description:
          'A checkpoint (https://c2sp.org/tlog-checkpoint) of the current ledger: origin, size and root of the RFC 6962 tree over the record hashes, signed with Ed25519, with the cosignatures that witnesses have given so far. Keep it to detect any later change, truncation or rewrite of the ledger.',
        querystring: Type.Object({
          cosigned: Type.Optional(
            Type.Boolean({
              description:
                'The newest checkpoint with enough cosignatures for `ledger.witness_policy`, which may be an earlier one.',
              ...eg(true),
            }),
          ),
          timestamped: Type.Optional(
            Type.Boolean({
              description:
                'The newest checkpoint that has a time stamp (`/v1/audit/ledger/timestamp`), byte for byte as stamped.',
              ...eg(true),
            }),
          ),
        }),
        response: { 200: checkpoint.response },
      },
    },
    async (request, reply) => {
      if (visitors === null) requireRole(request);
      const log = visitors ?? ledger;
      const { cosigned = false, timestamped = false } = request.query;
      if (cosigned && timestamped) throw new SvcError('SVC-REQ-001', 'give either cosigned or timestamped');
      if (!cosigned && !timestamped) return sendCheckpoint(reply, log);
      const note = cosigned ? await log.cosigned() : ((await log.stamped())?.note ?? null);
      const lacks = cosigned ? 'has enough cosignatures' : 'has a time stamp';
      if (note === null) throw new SvcError('SVC-REQ-003', `no checkpoint ${lacks} yet`);
      return reply.type(NOTE).send(note);
    },
  );

  app.get(
    '/v1/audit/ledger/keys',
    {
      config: {
        roles: ['audit'],
        errors: ['SVC-STORE-001'],
        example: {
          response: json({
            origin: ORIGIN,
            verifier_keys: [`${ORIGIN}+46340e68+AeSy7biH54iSLSMx5iKE95qYDaWsG6afZnfSU10VtfWp`],
          }),
        },
      },
      schema: {
        operationId: 'getLedgerKeys',
        tags: ['audit'],
        summary: 'Get the public keys of the ledger',
        description:
          'The keys that sign checkpoints, as verifier keys of signed notes (https://c2sp.org/signed-note), newest first. Compare them once with keys obtained from the operator out of band: a dishonest server can return false keys.',
        response: { 200: ref(LedgerKeys) },
      },
    },
    async (request) => {
      requireRole(request);
      const { origin, verifier_keys } = ledger.keys;
      return { origin, verifier_keys: [...verifier_keys] };
    },
  );

  app.get(
    '/v1/audit/ledger/proof',
    {
      config: { ...proof.of(ORIGIN), roles: ['audit'] },
      schema: {
        operationId: 'getProof',
        tags: ['audit'],
        summary: 'Get an inclusion or consistency proof for the ledger',
        description:
          'With `seq`: an inclusion proof file (https://c2sp.org/tlog-proof) with the record in `extra` and a checkpoint. With `from` and `to`: a consistency proof that the first `from` records are a prefix of the first `to` records (RFC 6962, 2.1.2).',
        querystring: proof.query,
        response: { 200: proof.response },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      if (request.query.seq !== undefined && caller.routes !== null)
        throw new SvcError(
          'SVC-AUTH-002',
          'this key is limited to some routes, but proofs cover all of them; use a key for all routes',
        );
      return sendProof(reply, ledger, request.query);
    },
  );

  app.get(
    '/v1/audit/session',
    {
      config: {
        roles: ['audit'],
        errors: ['SVC-LIMIT-003', 'SVC-STORE-001'],
        example: {
          response: { 'text/plain': `${JSON.stringify({ checkpoint: noteOf(ORIGIN) })}\n${JSON.stringify(EVIDENCE)}\n` },
        },
      },
      schema: {
        operationId: 'exportSession',
        tags: ['audit'],
        summary: 'Export the records of a session',
        description:
          'JSON lines: first `{"checkpoint": …}`, a signed note with the number of records and their tree, then each record, byte for byte as written. `svc ledger verify FILE` detects every missing record, including the last one. Requires a key that is not limited to routes. A principal may run four requests at a time.',
        querystring: Type.Object({
          principal: Type.String({ description: 'Principal of the session.', ...eg(EVIDENCE.principal_id) }),
          session: Type.String({ description: 'Id of the session.', ...eg('42bb0d3d') }),
        }),
        response: { 200: { description: 'JSON lines.', content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      if (caller.routes !== null)
        throw new SvcError(
          'SVC-AUTH-002',
          'this key is limited to some routes, but a session may use any; use a key for all routes',
        );
      const { principal, session } = request.query;
      const found = await turns.run(caller.principal_id, () => audit.session(principal, session));
      if (found === null)
        throw new SvcError('SVC-REQ-001', 'no run of this session has ended, or the session belongs to another principal');
      return sendSession(reply, found);
    },
  );
}

function sendSession(reply: FastifyReply, found: SessionExport): FastifyReply {
  return reply.type('text/plain').send(Readable.from(linesOf(found)));
}

async function* linesOf({ note, records }: SessionExport): AsyncGenerator<string> {
  yield `${JSON.stringify({ checkpoint: note })}\n`;
  for await (const part of records()) if (part.length > 0) yield `${part.join('\n')}\n`;
}

/** @throws {SvcError} SVC-STORE-001, SVC-LIMIT-003 */
export async function sendCheckpoint(reply: FastifyReply, log: Pick<Proofs, 'checkpoint'>): Promise<FastifyReply> {
  return reply.type(NOTE).send((await log.checkpoint()).note);
}

/** @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
export async function sendProof(
  reply: FastifyReply,
  log: Proofs,
  { seq, from, to }: Static<typeof proof.query>,
): Promise<FastifyReply> {
  if ((seq === undefined) === (from === undefined) || (seq !== undefined && to !== undefined))
    throw new SvcError('SVC-REQ-001', 'give either seq, or both from and to');
  if (seq !== undefined) return reply.type(NOTE).send(await log.inclusion(seq));
  const found = await log.consistency(from ?? 0, to ?? null);
  const path = found.path.map(base64Of);
  const body = JSON.stringify({ from: head(found.from), to: head(found.to), path });
  return reply.type('application/json; charset=utf-8').send(body);
}

function head({ size: leaves, root }: { readonly size: number; readonly root: Hash }) {
  return { size: leaves, root: base64Of(root) };
}
