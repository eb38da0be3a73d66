import { SvcError } from '@svc/contracts';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SMALL_BODY_BYTES } from '../admission.ts';
import { requireRole } from '../auth.ts';
import { created_at, json, issuer as sampleIssuer } from '../description/samples.ts';
import { hasRole, isLimited, type Principal } from '../key-ring.ts';
import type { Passkeys } from '../passkeys.ts';
import { reasonOf } from '../reason.ts';
import { CreatedCredential, eg, Passkey, PasskeyCeremony, PasskeyList, reasonInQuery, ref } from '../schemas.ts';
import type { Person } from '../sign-in.ts';
import type { Server } from '../typed-server.ts';

const passkey = {
  id: 'pXr2zTz2nX5dnmSoYQpMdA',
  principal_id: 'ada',
  issuer: sampleIssuer,
  subject: 'ada',
  algorithm: -7,
  rp_id: 'gateway.example.com',
  created_at,
  removed_at: null,
};
const challenge = 'bWFkZSBieSB0aGUgZ2F0ZXdheQ';
const ticket = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..c2VhbGVk';
const credential = { id: passkey.id, rawId: passkey.id, type: 'public-key', response: {} };
const tags = ['passkeys'];
const forPeople = { roles: ['approve'], metered: true } satisfies FastifyContextConfig;

/** People register the passkeys with which they sign decisions. */
export function passkeyEndpoints(app: Server, passkeys: Passkeys): void {
  app.post(
    '/v1/passkeys/options',
    {
      config: {
        ...forPeople,
        errors: ['SVC-AUTH-005', 'SVC-REQ-003', 'SVC-STORE-001'],
        example: { response: json({ options: { challenge, rp: { id: passkey.rp_id, name: 'svc' } }, ticket }) },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'beginPasskey',
        tags,
        summary: 'Get the options to create a passkey',
        description: 'Only for a person who is signed in on the pages.',
        response: { 200: ref(PasskeyCeremony) },
      },
    },
    async (request) => toJson(await passkeys.beginRegistration(personOf(request))),
  );

  app.post(
    '/v1/passkeys',
    {
      config: {
        ...forPeople,
        errors: ['SVC-AUTH-005', 'SVC-REQ-003', 'SVC-STORE-001'],
        example: { request: { ticket, credential }, response: json(passkey) },
      },
      bodyLimit: SMALL_BODY_BYTES,
      schema: {
        operationId: 'registerPasskey',
        tags,
        summary: 'Register a passkey',
        description:
          'Only for a person who is signed in on the pages. The authenticator must have verified the user. The operations log keeps the public key permanently.',
        body: ref(CreatedCredential),
        response: { 201: ref(Passkey) },
      },
    },
    async (request, reply) => {
      const { ticket, credential } = request.body;
      return reply.code(201).send(await passkeys.register(personOf(request), ticket, credential));
    },
  );

  app.get(
    '/v1/passkeys',
    {
      config: {
        roles: ['approve', 'admin'],
        errors: ['SVC-STORE-001'],
        example: { response: json({ origin: `https://${passkey.rp_id}`, passkeys: [passkey] }) },
      },
      schema: {
        operationId: 'listPasskeys',
        tags,
        summary: 'List passkeys',
        description:
          'Lists the passkeys of the signed-in person. With the role `admin`, and without a limit to routes or namespaces, lists those of everyone.',
        querystring: Type.Object({
          own: Type.Optional(Type.Boolean({ description: "Only the caller's own.", ...eg(true) })),
        }),
        response: { 200: ref(PasskeyList) },
      },
    },
    async (request) => {
      const caller = requireRole(request);
      const { identity } = caller;
      const seesAll = hasRole(caller, 'admin') && !isLimited(caller) && request.query.own !== true;
      const listed = !seesAll && identity === null ? [] : await passkeys.list(seesAll ? null : identity);
      return { origin: passkeys.origin, passkeys: [...listed] };
    },
  );

  app.delete(
    '/v1/passkeys/:id',
    {
      config: {
        roles: ['approve', 'admin'],
        metered: true,
        errors: ['SVC-KEY-003', 'SVC-STORE-001'],
        example: { response: json({ ...passkey, removed_at: created_at }) },
      },
      schema: {
        operationId: 'removePasskey',
        tags,
        summary: 'Remove a passkey',
        description:
          'For its owner, and for the role `admin`. The passkey cannot sign any more decisions. Decisions that it has signed stay valid.',
        params: Type.Object({ id: Type.String({ description: 'Credential id.', ...eg(passkey.id) }) }),
        querystring: Type.Object(reasonInQuery),
        response: { 200: ref(Passkey) },
      },
    },
    async (request) => passkeys.remove(requireRole(request), request.params.id, reasonOf(request.query.reason)),
  );
}

/** A session of the pages: neither a key nor a token. @throws {SvcError} SVC-AUTH-005 */
function personOf(request: FastifyRequest): Person {
  const caller = requireRole(request);
  if (isPerson(caller) && request.headers.authorization === undefined) return caller;
  throw new SvcError('SVC-AUTH-005', 'only a person can have a passkey: sign in with your account on the page /approvals');
}

function isPerson(caller: Principal): caller is Person {
  return caller.identity !== null;
}

function toJson({ options, ticket }: Awaited<ReturnType<Passkeys['beginRegistration']>>) {
  return { options: { ...options }, ticket };
}
