import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { AuthKeySchema } from './auth-key-schema.ts';
import { LITERAL_SECRET } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import { nearestName } from './nearest.ts';
import type { SecretContext } from './resolve-secrets.ts';
import type { AuthKey } from './resolved.ts';
import { isSecretText } from './secret-reference.ts';
import type { Section } from './sections.ts';

const KEY_FORM = /^svc-[0-9a-fA-F]{64}$/;

type Key = Static<typeof AuthKeySchema>;

/** What the entries of `auth` are checked against. */
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
  if (rag !== undefined && !roles.includes('rag')) report.warning('SVC-POL-009', [...path, 'rag'], 'this key lacks the role rag');
}

/** The API keys as hashes. The same key in two entries is an error, since the principal would be ambiguous. */
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
    if (hashes.has(hash)) report.error('SVC-POL-001', path, 'duplicate key: an earlier entry has the same one');
    hashes.add(hash);
    const { principal_id, routes = null, roles, team = null, rag } = key;
    read.push({ principal_id, key_sha256: hash, routes, roles, team, namespaces: rag?.namespaces ?? null });
  }
  return read;
}
