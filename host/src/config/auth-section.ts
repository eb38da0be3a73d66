import { isObject } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type AuthKey, AuthKeySchema, readKeys } from './auth-keys.ts';
import type { Groups } from './groups.ts';
import { lintLastAdmin } from './lint-last-admin.ts';
import { type OidcIssuer, readIssuers, readSession, type SessionLimits } from './oidc-issuers.ts';
import { OidcIssuerSchema, SessionSchema } from './oidc-schema.ts';
import { type PasskeySettings, PasskeysSchema, readPasskeys } from './passkeys-section.ts';
import type { Reader } from './reader.ts';
import { closed, PRINCIPAL } from './schema-parts.ts';
import { sectionOf } from './sections.ts';

const GroupsSchema = Type.Record(
  Type.String(),
  Type.Array(Type.String(PRINCIPAL), { uniqueItems: true, description: 'Principals of the group.' }),
  {
    default: {},
    propertyNames: Type.String(PRINCIPAL),
    description: 'Groups of approvers by name, each with its principals. A route lists a group as `group/NAME`.',
  },
);

export const AuthSchema = closed(
  {
    keys: Type.Array(AuthKeySchema, { default: [], description: 'API keys.' }),
    oidc: Type.Array(OidcIssuerSchema, {
      default: [],
      description: 'Issuers whose JSON Web Tokens are accepted in addition to keys.',
    }),
    groups: GroupsSchema,
    passkeys: Type.Optional(PasskeysSchema),
    session: SessionSchema,
  },
  { default: {}, description: 'Who may call the gateway.' },
);

/** The section `auth`. */
export interface AuthPart {
  /** Without resolved secrets, keys that are given by a reference are absent. */
  readonly keys: readonly AuthKey[];
  readonly issuers: readonly OidcIssuer[];
  /** Principals of each group of approvers. */
  readonly groups: Groups;
  /** Null: no passkeys. */
  readonly passkeys: PasskeySettings | null;
  readonly session: SessionLimits;
}

const NO_KEYS = 'no keys are configured: every call is rejected unless the server runs with --no-auth';

export const readAuth: Reader<AuthPart> = async (section, context) => {
  const { entries, former, report } = context;
  const { groups, oidc, passkeys, session }: Record<string, unknown> = isObject(section) ? section : {};
  const written = sectionOf(OidcIssuerSchema, oidc);
  const ofAuth = { ...context, routes: entries.routes.names };
  const keys = await readKeys(entries.keys, ofAuth);
  const issuers = await readIssuers(written, ofAuth);
  if (entries.keys.names.length + written.names.length === 0) report.warning('SVC-POL-009', ['auth', 'keys'], NO_KEYS);
  lintLastAdmin({ keys, issuers }, former, report);
  if (!Value.Check(GroupsSchema, groups) || !Value.Check(SessionSchema, session)) return null;
  if (passkeys !== undefined && !Value.Check(PasskeysSchema, passkeys)) return null;
  const relying = passkeys === undefined ? null : readPasskeys(passkeys, report);
  return { keys, issuers, groups, passkeys: relying, session: readSession(session, report) };
};
