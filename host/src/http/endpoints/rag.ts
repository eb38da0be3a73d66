import { type JsonObject, NAMESPACE_PATTERN, SvcError } from '@svc/contracts';
import { erasure, type Gateway, SerialByName } from '@svc/runtime';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { RateLimits } from '../../limits/rate-limits.ts';
import type { ErasedNamespace, Rag } from '../../retrieval/index.ts';
import { actorOf } from '../actor.ts';
import type { AssertStill } from '../assert-still.ts';
import { AtOnce, ERASURES_AT_ONCE } from '../at-once.ts';
import { requireNamespace, requireRole } from '../auth.ts';
import { clientGone } from '../client-gone.ts';
import { LIMITS, UPSTREAM } from '../description/answers.ts';
import { json } from '../description/samples.ts';
import type { Principal } from '../key-ring.ts';
import { tokensOf, withinLimits } from '../limits.ts';
import { reasonOf } from '../reason.ts';
import {
  eg,
  RagDelete,
  RagDeleted,
  RagErased,
  RagFound,
  RagIndex,
  RagIndexed,
  RagQuery,
  reasonInQuery,
  ref,
} from '../schemas.ts';
import type { Server } from '../typed-server.ts';

const DEFAULT_K = 4;

const document = { text: 'Transfers take one working day.', metadata: { source: 'handbook' } };
const declared = { roles: ['rag'], metered: true } satisfies FastifyContextConfig;
/** For an endpoint that embeds texts. */
const EMBEDS = [...LIMITS, 'SVC-RAG-001', 'SVC-BUSY-001', 'SVC-STORE-001', ...UPSTREAM] as const;

interface Parts {
  readonly gateway: Pick<Gateway, 'operations'>;
  /** Null: not configured. */
  readonly rag: Rag | null;
  readonly assertStill: AssertStill;
  readonly limits: RateLimits;
}

/** Documents and retrieval. If retrieval is not configured, a request is refused before its body is read. */
export function ragEndpoints(app: Server, { gateway, rag, assertStill, limits }: Parts): void {
  const erasures = new AtOnce(ERASURES_AT_ONCE);
  const erasing = new SerialByName();
  const configured = (request: FastifyRequest): Rag => {
    requireRole(request);
    if (rag === null)
      throw new SvcError('SVC-RAG-001', 'RAG is not configured on this server: add a section rag to its configuration');
    return rag;
  };
  /** The caller, checked before anything is read or embedded. */
  const callerFor = (request: FastifyRequest, namespace: string): Principal => {
    const principal = requireRole(request);
    requireNamespace(principal, namespace);
    return principal;
  };
  const preParsing = async (request: FastifyRequest): Promise<void> => {
    configured(request);
  };
  const common = { tags: ['rag'], description: '503 unless RAG is configured.' };
  app.post(
    '/v1/rag/index',
    {
      config: {
        ...declared,
        errors: [...EMBEDS, 'SVC-RAG-002', 'SVC-RAG-003'],
        example: {
          request: { namespace: 'handbook', documents: [document] },
          response: json({ indexed: 1, namespace: 'handbook' }),
        },
      },
      preParsing,
      schema: {
        ...common,
        operationId: 'indexDocuments',
        summary: 'Index documents',
        body: ref(RagIndex),
        response: { 200: ref(RagIndexed) },
      },
    },
    async (request, reply) => {
      const { namespace } = request.body;
      const principal = callerFor(request, namespace);
      const documents = request.body.documents.map(({ text, metadata = {} }) => ({ text, metadata: metadata as JsonObject }));
      const index = configured(request);
      const tokens = tokensOf(documents.map(({ text }) => text));
      await withinLimits(
        { limits, principal, route: null, reply },
        () => tokens,
        (bill) => index.index(namespace, documents, principal.principal_id, clientGone(reply), () => bill(tokens)),
      );
      return { indexed: documents.length, namespace };
    },
  );
  app.post(
    '/v1/rag/delete',
    {
      config: {
        ...declared,
        errors: ['SVC-LIMIT-003', 'SVC-RAG-001', 'SVC-STORE-001'],
        example: { request: { namespace: 'handbook', ids: ['d1'] }, response: json({ deleted: 1, namespace: 'handbook' }) },
      },
      preParsing,
      schema: {
        ...common,
        operationId: 'deleteDocuments',
        summary: 'Delete documents',
        body: ref(RagDelete),
        response: { 200: ref(RagDeleted) },
      },
    },
    async (request) => {
      const { namespace, ids } = request.body;
      const principal = callerFor(request, namespace);
      const documents = configured(request);
      const by = { actor: actorOf(principal), reason: reasonOf(request.body.reason) };
      const target = { kind: 'namespace', name: namespace };
      const deleted = await erasures.run(principal.principal_id, async () => {
        const count = await documents.remove(namespace, ids, principal.principal_id);
        // Recorded afterwards, because only then is it known whether there were any.
        if (count > 0)
          await gateway.operations.append(() => erasure('documents.deleted', target, by, { deleted: count }), 'behind');
        return count;
      });
      return { deleted, namespace };
    },
  );
  app.delete(
    '/v1/rag/namespaces/:namespace',
    {
      config: {
        ...declared,
        errors: ['SVC-LIMIT-003', 'SVC-RAG-001', 'SVC-BUSY-001', 'SVC-STORE-001'],
        example: { response: json({ namespace: 'handbook', deleted: 1, backups_unreadable: true }) },
      },
      preParsing,
      schema: {
        ...common,
        operationId: 'eraseNamespace',
        summary: 'Erase a namespace',
        description: `Deletes all documents of a namespace and destroys the key that their texts are encrypted with. May be repeated after a failure. A principal may run ${ERASURES_AT_ONCE} deletions and erasures at the same time. 503 unless RAG is configured.`,
        params: Type.Object({
          namespace: Type.String({ pattern: NAMESPACE_PATTERN, description: 'Name of the namespace.', ...eg('handbook') }),
        }),
        querystring: Type.Object(reasonInQuery),
        response: { 200: ref(RagErased) },
      },
    },
    async (request) => {
      const { namespace } = request.params;
      const principal = callerFor(request, namespace);
      const documents = configured(request);
      const by = { actor: actorOf(principal), reason: reasonOf(request.query.reason) };
      const erase = async (): Promise<ErasedNamespace> => {
        // An erasure that erases nothing is not recorded, because the log only grows.
        if (!(await documents.holds(namespace))) return { namespace, deleted: 0, backups_unreadable: false };
        const target = { kind: 'namespace', name: namespace };
        await gateway.operations.append(async () => {
          await assertStill(principal);
          return erasure('documents.erased', target, by);
        }, 'behind');
        return documents.erase(namespace, principal.principal_id);
      };
      return { ...(await erasures.run(principal.principal_id, () => erasing.take(namespace, erase))) };
    },
  );
  app.post(
    '/v1/rag/query',
    {
      config: {
        ...declared,
        errors: [...EMBEDS, 'SVC-RAG-003'],
        example: {
          request: { namespace: 'handbook', query: 'How long does a transfer take?', k: 1 },
          response: json({ namespace: 'handbook', docs: [{ id: 'd1', ...document }] }),
        },
      },
      preParsing,
      schema: {
        ...common,
        operationId: 'queryDocuments',
        summary: 'Query the vector store',
        body: ref(RagQuery),
        response: { 200: ref(RagFound) },
      },
    },
    async (request, reply) => {
      const { namespace, query, k = DEFAULT_K, filter = {} } = request.body;
      const principal = callerFor(request, namespace);
      const options = { k, filter: filter as JsonObject, signal: clientGone(reply) };
      const index = configured(request);
      const tokens = tokensOf([query]);
      const found = await withinLimits(
        { limits, principal, route: null, reply },
        () => tokens,
        (bill) => index.retrieve(namespace, query, options, () => bill(tokens)),
      );
      return { namespace, docs: found.map(({ document: { id, text, metadata } }) => ({ id, text, metadata })) };
    },
  );
}
