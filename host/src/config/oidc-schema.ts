import { networkOptions } from '@svc/toolkit/network';
import { Type } from 'typebox';
import { DELAY_PATTERN } from './duration.ts';
import { ROLES } from './roles.ts';
import { closed, duration, PRINCIPAL, RagNamespace } from './schema-parts.ts';

/** Only signatures with a public key. With a shared secret, a verifier of tokens could also create them. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;

const claim = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });
const MEMBER = '`a.b` also means the member `b` of the claim `a`.';
const CLAIM = `Name of a claim; ${MEMBER}`;

export const OidcIssuerSchema = closed(
  {
    issuer: Type.String({
      pattern: '^https?://[^\\s?#@]+$',
      title: 'an https address without a user, a query or a fragment, such as https://login.example.com',
      description: 'The exact `iss` of its tokens. Its keys are found by discovery. `http://` is allowed only on loopback.',
    }),
    audience: Type.String({ minLength: 1, description: 'The `aud` that a token must have.' }),
    principal: Type.String({
      minLength: 1,
      maxLength: 256,
      default: 'sub',
      description:
        'Claim with the principal. Use a claim whose values the issuer never reassigns. `email` is read in lower case, and only with `email_verified: true`.',
    }),
    principal_prefix: Type.Optional(
      Type.String({
        pattern: PRINCIPAL.pattern.replace('{1,128}', '{1,64}'),
        title: '1 to 64 letters, digits or any of . _ @ : + -',
        description: 'Prefix for every principal of this issuer. Required if there are several issuers.',
      }),
    ),
    roles: closed(
      {
        claim: claim(CLAIM),
        map: Type.Record(Type.String(), Type.Array(Type.Enum([...ROLES]), { minItems: 1, uniqueItems: true }), {
          minProperties: 1,
          description: 'Roles for each value of the claim. Other values give no role.',
        }),
      },
      { description: 'What the caller may do, as `roles` of a key.' },
    ),
    routes: Type.Optional(
      closed(
        {
          claim: claim(CLAIM),
          map: Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1, uniqueItems: true }), {
            minProperties: 1,
            description: 'Routes for each value of the claim. Other values give no route.',
          }),
        },
        { description: 'Routes that the caller may use. Default: all.' },
      ),
    ),
    rag: Type.Optional(
      closed(
        {
          claim: claim(CLAIM),
          map: Type.Record(Type.String(), Type.Array(RagNamespace, { minItems: 1, uniqueItems: true }), {
            minProperties: 1,
            description:
              'Namespaces for each value of the claim: names, or prefixes with a trailing `*`. Other values give no namespace.',
          }),
        },
        { description: 'Retrieval namespaces that the caller may use. Default: all.' },
      ),
    ),
    groups: Type.Optional(
      closed(
        {
          claim: claim(CLAIM),
          map: Type.Record(Type.String(), Type.Array(Type.String(PRINCIPAL), { minItems: 1, uniqueItems: true }), {
            minProperties: 1,
            description: 'Groups for each value of the claim. Other values give no group.',
          }),
        },
        { description: 'Groups of approvers that the caller belongs to, for `group/NAME` in `approvers`.' },
      ),
    ),
    team: Type.Optional(claim(`Claim with the team of the caller, as \`team\` of a key; ${MEMBER}`)),
    algorithms: Type.Array(Type.Enum([...ALGORITHMS]), {
      minItems: 1,
      uniqueItems: true,
      default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      description: 'Accepted signature algorithms.',
    }),
    clock_skew: Type.String({
      pattern: DELAY_PATTERN,
      title: 'a whole number with s or m, such as 30s',
      default: '30s',
      description: 'How much the clocks of issuer and gateway may differ, at most 5m.',
    }),
    jwks_max_age: duration(
      "How long the issuer's keys are used if they cannot be refreshed: 1m to 24h. They are refreshed every 10 minutes.",
      '1h',
    ),
    client_id: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Id of an OAuth client with this gateway's `/auth/callback` as redirect URL. With it, people can sign in on the pages. Without it, the pages accept only keys.",
      }),
    ),
    client_secret: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description: 'Secret of that client, as a `secret://` reference. Without it, the client is public.',
      }),
    ),
    ...networkOptions,
  },
  { description: 'An issuer of JSON Web Tokens (OpenID Connect).' },
);

export const SessionSchema = closed(
  {
    idle: duration('How long a session lasts without use, in whole minutes: 5m to 24h. An open page counts as use.', '30m'),
    absolute: duration('Maximum duration of a session: up to 7d, and at least `idle`.', '8h'),
  },
  { default: {}, description: 'Sessions of people who sign in on the pages.' },
);
