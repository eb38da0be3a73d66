import { SvcError } from '@svc/contracts';
import { Type } from 'typebox';
import { nearestName } from '../../config/nearest.ts';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole } from '../auth.ts';
import type { CreatedKey as Created } from '../key-changes.ts';
import { covers } from '../key-grant.ts';
import { firstOf, linkNext, next, page } from '../list-pages.ts';
import { mayHaveNoBody } from '../no-body.ts';
import { reasonOf } from '../reason.ts';
import { CreatedKey, CreateKey, ErrorBody, Key, KeyList, RotateKey, reasonOnRecord, ref } from '../schemas.ts';
import type { StoredKey } from '../stored-keys.ts';
import type { Server, Surface } from '../surface.ts';

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const YEAR_10000 = Date.parse('+010000-01-01T00:00:00Z');
const DEFAULT_OVERLAP_S = 86_400;
/** Keys whose last use is read at once. */
const AT_ONCE = 64;

const params = Type.Object({ id: Type.String({ description: 'Id of the key.' }) });
const common = { tags: ['keys'] };
const errors = { 403: ref(ErrorBody), 404: ref(ErrorBody), 409: ref(ErrorBody) };
const small = { config: { metered: true, alwaysAdmitted: true }, bodyLimit: SMALL_BODY_BYTES };

/** Keys that come and go while the gateway runs. Those of the configuration file are not among them. */
export function keyEndpoints(app: Server, surface: Surface): void {
  const { gateway, keys } = surface;
  app.post(
    '/v1/keys',
    {
      ...small,
      schema: {
        ...common,
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'For keys with the role `admin`. One that is limited to routes or namespaces creates keys of its own routes, namespaces, roles and team only, for itself, new principals, and those whose every key it could create. Valid at every gateway within 2 seconds.',
        body: ref(CreateKey),
        response: { 201: ref(CreatedKey), 400: ref(ErrorBody), 403: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'admin');
      const { principal_id, roles, routes: only = null, rag, team = null, expires_at, reason } = request.body;
      requireRoutes(only ?? [], surface.routes.keys());
      const terms = { expires_at: timeOf(expires_at ?? null), reason: reasonOf(reason) };
      const grant = { principal_id, roles, routes: only, namespaces: rag?.namespaces ?? null, team };
      const created = await keys.changes.create(caller, grant, terms);
      return reply.code(201).send(told(created));
    },
  );

  app.get(
    '/v1/keys',
    {
      schema: {
        ...common,
        operationId: 'listKeys',
        summary: 'List the keys that were created at run time',
        description: `For keys with the role \`admin\`; one that is limited to routes or namespaces is shown those that it may revoke. Neither keys nor their hashes are shown. ${next}`,
        querystring: Type.Object(page),
        response: { 200: ref(KeyList), 400: ref(ErrorBody) },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'admin');
      const { limit = 1000, cursor } = request.query;
      const first = firstOf(cursor === undefined ? {} : { cursor });
      await gateway.operations.catchUp();
      // Keys are never removed, so a place in their order is a cursor.
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
      ...small,
      preValidation: mayHaveNoBody,
      schema: {
        ...common,
        operationId: 'rotateKey',
        summary: 'Replace a key',
        description:
          'Creates a key with the principal, roles, routes, namespaces and team of another. The old one stays valid for the overlap, so that callers can be moved; 0 ends it at once.',
        params,
        body: ref(RotateKey),
        response: { 201: ref(CreatedKey), 400: ref(ErrorBody), ...errors },
      },
    },
    async (request, reply) => {
      const caller = requireRole(request, 'admin');
      const { overlap_s = DEFAULT_OVERLAP_S, expires_at, reason } = request.body;
      const terms = {
        overlap_s,
        expires_at: expires_at === undefined ? undefined : timeOf(expires_at),
        reason: reasonOf(reason),
      };
      return reply.code(201).send(told(await keys.changes.rotate(caller, request.params.id, terms)));
    },
  );

  app.delete(
    '/v1/keys/:id',
    {
      config: { metered: true },
      schema: {
        ...common,
        operationId: 'revokeKey',
        summary: 'Revoke a key',
        description:
          'The next request with it gets 401, at every gateway within 2 seconds. What is under way goes on to its end. It cannot be undone.',
        params,
        querystring: Type.Object({ reason: Type.Optional(reasonOnRecord) }),
        response: { 200: ref(Key), ...errors },
      },
    },
    async (request) => {
      const caller = requireRole(request, 'admin');
      const { id } = request.params;
      const revoked = await keys.changes.revoke(caller, id, reasonOf(request.query.reason));
      return { ...facts(revoked), last_used_at: await keys.uses.lastUse(id) };
    },
  );
}

/** What may be shown of a key. */
function facts({ key_sha256: _, namespaces, routes, roles, ...key }: StoredKey) {
  return {
    ...key,
    roles: [...roles],
    routes: routes === null ? null : [...routes],
    rag: namespaces === null ? null : { namespaces: [...namespaces] },
  };
}

function told({ key, stored }: Created) {
  return { ...facts(stored), key };
}

/** @throws {SvcError} SVC-REQ-001 for one that is not configured */
function requireRoutes(asked: readonly string[], known: Iterable<string>): void {
  const names = new Set(known);
  const index = asked.findIndex((name) => !names.has(name));
  if (index < 0) return;
  const nearest = nearestName(asked[index] ?? '', names);
  const hint = nearest === undefined ? '; GET /v1/routes lists them' : `; the nearest name is ${nearest}`;
  throw new SvcError('SVC-REQ-001', `body/routes/${index} is no route${hint}`);
}

/** In UTC. @throws {SvcError} SVC-REQ-001 for a time that there is not, such as a leap second, or that RFC 3339 cannot write in UTC */
function timeOf(text: string | null): string | null {
  if (text === null) return null;
  const time = Date.parse(text);
  const isTime = !Number.isNaN(time) && time >= YEAR_0 && time < YEAR_10000;
  if (!isTime) throw new SvcError('SVC-REQ-001', 'body/expires_at must be a date-time');
  return new Date(time).toISOString();
}
