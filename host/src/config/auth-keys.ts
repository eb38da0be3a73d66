import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { LITERAL_SECRET } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import { nearestName } from './nearest.ts';
import type { SecretContext } from './resolve-secrets.ts';
import { DEFAULT_ROLES, ROLES, type Role } from './roles.ts';
import { closed, PRINCIPAL, RagNamespace } from './schema-parts.ts';
import { isSecretText } from './secret-reference.ts';
import type { Section } from './sections.ts';

/** How much of retrieval a principal may use. */
const RagAccessSchema = closed(
  {
    namespaces: Type.Array(RagNamespace, {
      uniqueItems: true,
      description:
        'Namespaces to index, query and delete in: names, or prefixes with a trailing `*`, such as `acme-*`. An empty list: none.',
    }),
  },
  { description: 'Namespaces that the key can use for retrieval. Default: all.' },
);

export const AuthKeySchema = closed(
  {
    principal_id: Type.String({
      ...PRINCIPAL,
      description: 'Principal of this key. Several keys may have the same principal.',
    }),
    key_hash: Type.Optional(
      Type.String({
        pattern: '^sha256:[0-9a-f]{64}$',
        title: 'sha256: and 64 lower-case hex characters',
        description: 'SHA-256 of the whole key, as `svc keys new` prints it. Set exactly one of `key_hash` and `key`.',
      }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description: 'The key itself, as a secret:// reference. Set exactly one of `key_hash` and `key`.',
      }),
    ),
    routes: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, uniqueItems: true, description: 'Routes that the key can use. Default: all.' }),
    ),
    rag: Type.Optional(RagAccessSchema),
    roles: Type.Array(Type.Enum([...ROLES]), {
      minItems: 1,
      uniqueItems: true,
      default: [...DEFAULT_ROLES],
      description:
        'What the key may do: `call` models, `approve` paused runs, read the `audit` endpoints, use `rag`, and as `admin` erase the content of any run, manage keys, apply the configuration, and stop routes, providers, guards and principals.',
    }),
    team: Type.Optional(
      Type.String({ ...PRINCIPAL, description: 'Team whose limits and budgets apply to the key. Default: none.' }),
    ),
  },
  { description: 'One API key.' },
);

export interface AuthKey {
  readonly principal_id: string;
  /** SHA-256 of the whole key, 64 lower-case hex characters. */
  readonly key_sha256: string;
  /** Null: all routes. */
  readonly routes: readonly string[] | null;
  readonly roles: readonly Role[];
  /** Retrieval namespaces: names, or prefixes with a trailing `*`. Null: all. */
  readonly namespaces: readonly string[] | null;
  /** Null: no team. */
  readonly team: string | null;
}

const KEY_FORM = /^svc-[0-9a-fA-F]{64}$/;

type Key = Static<typeof AuthKeySchema>;

/** The context of the entries of `auth`. */
export interface AuthContext extends SecretContext {
  readonly routes: readonly string[];
}

/** Null if the key is invalid (which is reported) or unresolved. */
async function hashOf(key: string, path: Path, { report, secrets, resolveSecrets }: AuthContext): Promise<string | null> {
  const isReference = isSecretText(key);
  if (!isReference) report.warning('SVC-POL-008', path, LITERAL_SECRET);
  if (isReference && !(await secrets.check(key, path))) return null;
  const value = isReference && !resolveSecrets ? await secrets.atHand(key) : await secrets.resolve(key, path);
  if (typeof value !== 'string') return null;
  if (KEY_FORM.test(value)) return createHash('sha256').update(value).digest('hex');
  report.error('SVC-POL-001', path, 'not a key', { expected: 'svc- and 64 hex characters' });
  return null;
}

/** SVC-POL-002: unknown routes in a list at this path. */
export function lintRouteNames(
  named: readonly string[],
  path: Path,
  { report, routes }: Pick<AuthContext, 'report' | 'routes'>,
): void {
  for (const [index, route] of named.entries()) {
    if (routes.includes(route)) continue;
    report.error('SVC-POL-002', [...path, index], `unknown route ${route}`, { nearest: nearestName(route, routes) });
  }
}

/** SVC-POL-009: namespaces of a key that may not use retrieval. */
function lintRole({ rag, roles }: Key, path: Path, { report }: AuthContext): void {
  if (rag !== undefined && !roles.includes('rag'))
    report.warning('SVC-POL-009', [...path, 'rag'], 'this key does not have the role rag');
}

/** The API keys as hashes. The same key in two entries is an error, because the principal would be ambiguous. */
export async function readKeys(keys: Section<Key>, context: AuthContext): Promise<AuthKey[]> {
  const { report } = context;
  const read: AuthKey[] = [];
  const hashes = new Set<string>();
  for (const [index, key] of keys.repaired) {
    const path = ['auth', 'keys', Number(index)];
    lintRouteNames(key.routes ?? [], [...path, 'routes'], context);
    lintRole(key, path, context);
    if (keys.valid.has(index) && (key.key === undefined) === (key.key_hash === undefined)) {
      report.error('SVC-POL-001', path, 'set exactly one of key_hash and key');
    }
    const hash = key.key === undefined ? key.key_hash?.slice('sha256:'.length) : await hashOf(key.key, [...path, 'key'], context);
    if (hash === undefined || hash === null) continue;
    if (hashes.has(hash)) report.error('SVC-POL-001', path, 'duplicate key: an earlier entry has the same key');
    hashes.add(hash);
    const { principal_id, routes = null, roles, team = null, rag } = key;
    read.push({ principal_id, key_sha256: hash, routes, roles, team, namespaces: rag?.namespaces ?? null });
  }
  return read;
}
