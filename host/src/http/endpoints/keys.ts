import { SvcError } from '@svc/contracts';
import type { Gateway } from '@svc/runtime';
import type { FastifyContextConfig } from 'fastify';
import { Type } from 'typebox';
import { nearestName } from '../../config/nearest.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole } from '../auth.ts';
import { created_at, json, route, principal_id as sampleId } from '../description/samples.ts';
import type { Routes } from '../find-route.ts';
import type { CreatedKey as Created, KeyChanges } from '../key-changes.ts';
import { covers } from '../key-grant.ts';
import type { KeyUses } from '../key-uses.ts';
import { firstOf, linkNext, next, page } from '../list-pages.ts';
import { mayHaveNoBody } from '../no-body.ts';
import { reasonOf } from '../reason.ts';
import { CreatedKey, CreateKey, eg, Key, KeyList, RotateKey, reasonInQuery, ref } from '../schemas.ts';
import type { StoredKey, StoredKeys } from '../stored-keys.ts';
import { timeOf } from '../time-of.ts';
import type { Server } from '../typed-server.ts';

const DEFAULT_OVERLAP_S = 86_400;
/** How many keys' last uses are read at the same time. */
const AT_ONCE = 64;

const key = {
  id: '6f1c8c34-0f0e-4f0c-8e2e-5a9d7f3c2b10',
  principal_id: sampleId,
  roles: ['call'],
  routes: [route],
  rag: null,
  team: 'payments',
  created_at,
  created_by: 'ada',
  expires_at: '2026-12-31T00:00:00.000Z',
  revoked_at: null,
  rotated_from: null,
};
const KEY = `svc-${'0'.repeat(64)}`;
const params = Type.Object({ id: Type.String({ description: 'Id of the key.', ...eg(key.id) }) });
const common = { tags: ['keys'] };
const declared = { roles: ['admin'], metered: true, errors: ['SVC-STORE-001'] } satisfies FastifyContextConfig;
const ofKey = { ...declared, errors: ['SVC-KEY-001', 'SVC-KEY-002', 'SVC-STORE-001'] } satisfies FastifyContextConfig;

interface Parts {
  readonly active: Routes;
  readonly gateway: Pick<Gateway, 'operations'>;
  readonly keys: { readonly stored: StoredKeys; readonly changes: KeyChanges; readonly uses: KeyUses };
}

/** Keys that are created at run time. Keys of the configuration file are not included. */
export function keyEndpoints(app: Server, { active, gateway, keys }: Parts): void {
  app.post(
    '/v1/keys',
    {
      config: {
        ...declared,
        alwaysAdmitted: true,
        example: {
          request: {
            principal_id: sampleId,
            roles: ['call'],
            routes: [route],
            team: 'payments',
            expires_at: '2026-12-31T00:00:00Z',
          },
          response: json({ ...key, key: KEY }),
        },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        ...common,
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'For keys with the role `admin`. A key that is limited to routes or namespaces can create keys only within its own routes, namespaces, roles and team. They can be for its own principal, for a new principal, or for a principal whose keys are all within these limits. The new key is valid at every gateway within 2 seconds.',
        body: ref(CreateKey),
        response: { 201: ref(CreatedKey) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const { principal_id, roles, routes: only = null, rag, team = null, expires_at, reason } = request.body;
      requireRoutes(only ?? [], active.routes.keys());
      const terms = { expires_at: timeOf(expires_at ?? null, 'expires_at'), reason: reasonOf(reason) };
      const grant = { principal_id, roles, routes: only, namespaces: rag?.namespaces ?? null, team };
      const created = await keys.changes.create(caller, grant, terms);
      return reply.code(201).send(withSecret(created));
    },
  );

  app.get(
    '/v1/keys',
    {
      config: {
        ...page.config,
        roles: ['admin'],
        example: { response: json({ keys: [{ ...key, last_used_at: created_at }] }) },
      },
      schema: {
        ...common,
        operationId: 'listKeys',
        summary: 'List the keys that were created while the gateway runs',
        description: `For keys with the role \`admin\`. A key that is limited to routes or namespaces sees only the keys that it may revoke. Neither keys nor their hashes are returned. ${next}`,
        querystring: Type.Object(page.query),
        response: { 200: ref(KeyList) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const { limit = 1000, cursor } = request.query;
      const first = firstOf(cursor === undefined ? {} : { cursor });
      await gateway.operations.catchUp();
      // Keys are never removed, so a position can serve as a cursor.
      const places = keys.stored.all().map((key, place) => ({ key, place }));
      const mine = places.slice(first).filter(({ key }) => covers(caller, key));
      const following = mine[limit];
      if (following !== undefined) linkNext(reply, request.url, String(following.place));
      const listed = mine.slice(0, limit);
      const shown = [];
      for (let from = 0; from < listed.length; from += AT_ONCE) {
        const some = listed.slice(from, from + AT_ONCE);
        shown.push(
          ...(await Promise.all(some.map(async ({ key }) => ({ ...facts(key), last_used_at: await keys.uses.lastUse(key.id) })))),
        );
      }
      return { keys: shown };
    },
  );

  app.post(
    '/v1/keys/:id/rotate',
    {
      config: {
        ...ofKey,
        alwaysAdmitted: true,
        example: {
          request: { overlap_s: 3600, reason: 'every quarter' },
          response: json({ ...key, id: 'd5c3a4f8-4a53-4fd5-9d0d-2b8a6f1f5c11', rotated_from: key.id, key: KEY }),
        },
      },
      bodyLimit: SMALL_BODY_BYTES,
      preValidation: mayHaveNoBody,
      schema: {
        ...common,
        operationId: 'rotateKey',
        summary: 'Replace a key',
        description:
          'Creates a key with the principal, roles, routes, namespaces and team of another key. The old key stays valid for `overlap_s`, so that callers can switch; 0 revokes it at once.',
        params,
        body: ref(RotateKey),
        response: { 201: ref(CreatedKey) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request);
      const { overlap_s = DEFAULT_OVERLAP_S, expires_at, reason } = request.body;
      const terms = {
        overlap_s,
        expires_at: expires_at === undefined ? undefined : timeOf(expires_at, 'expires_at'),
        reason: reasonOf(reason),
      };
      return reply.code(201).send(withSecret(await keys.changes.rotate(caller, request.params.id, terms)));
    },
  );

  app.delete(
    '/v1/keys/:id',
    {
      config: { ...ofKey, example: { response: json({ ...key, revoked_at: created_at, last_used_at: null }) } },
      schema: {
        ...common,
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description:
          'Requests with the key get 401 within 2 seconds at every gateway. Requests in progress are completed. A revocation cannot be undone.',
        params,
        querystring: Type.Object(reasonInQuery),
        response: { 200: ref(Key) },
      },
    },
    async (request) => {
      const caller = requireRole(request);
      const { id } = request.params;
      const revoked = await keys.changes.revoke(caller, id, reasonOf(request.query.reason));
      return { ...facts(revoked), last_used_at: await keys.uses.lastUse(id) };
    },
  );
}

/** The public fields of a key. */
function facts({ key_sha256: _, namespaces, routes, roles, ...key }: StoredKey) {
  return {
    ...key,
    roles: [...roles],
    routes: routes === null ? null : [...routes],
    rag: namespaces === null ? null : { namespaces: [...namespaces] },
  };
}

function withSecret({ key, stored }: Created) {
  return { ...facts(stored), key };
}

/** @throws {SvcError} SVC-REQ-001 for an unknown route */
function requireRoutes(asked: readonly string[], known: Iterable<string>): void {
  const names = new Set(known);
  const index = asked.findIndex((name) => !names.has(name));
  if (index < 0) return;
  const nearest = nearestName(asked[index] ?? '', names);
  const hint = nearest === undefined ? '; GET /v1/routes lists them' : `; did you mean ${nearest}?`;
  throw new SvcError('SVC-REQ-001', `body/routes/${index} is not a route${hint}`);
}
