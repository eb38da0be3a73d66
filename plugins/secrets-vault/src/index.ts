import { isObject } from '@svc/sdk';
import { defineSecrets, type RefreshedSecret, SecretFailedError, type SecretsBackend } from '@svc/sdk/secrets';
import { type Answer, VaultApi } from './api.ts';
import { Options } from './options.ts';
import { inPath, type Lease, VaultSession } from './session.ts';

/** The host asks no more often than this. */
const MIN_REFRESH_MS = 1_000;

/** Secrets of a KV engine of version 2, in HashiCorp Vault or OpenBao. */
export default defineSecrets({
  type: 'vault',
  options: Options,
  create(options, deps): SecretsBackend {
    const api = new VaultApi(options, deps);
    const session = new VaultSession(api, options, deps);
    const read = ({ token }: Lease, path: string, signal: AbortSignal): Promise<Answer> =>
      api.call(`${inPath(options.mount)}/data/${path}`, { token, signal });
    return {
      async resolve(path, key, signal): Promise<RefreshedSecret> {
        signal.throwIfAborted();
        const place = placeOf(path);
        let lease = await session.lease();
        let answer = await read(lease, place, signal);
        if (answer.status === 403) {
          // Either the path is not allowed, or the token was revoked.
          if (!(await session.replaces(lease))) throw new SecretFailedError('forbidden');
          lease = await session.lease();
          answer = await read(lease, place, signal);
        }
        const refresh_after_ms = Math.max(MIN_REFRESH_MS, Math.floor(Math.min(options.refresh_s * 1_000, lease.granted_ms / 2)));
        return { value: valueIn(answer, key), refresh_after_ms };
      },
      async close() {
        await session.close();
        await api.close();
      },
    };
  },
});

/** @throws {SecretFailedError} for a path that another reader could take for another one */
function placeOf(path: string): string {
  const segments = path.split('/');
  if (segments.some((segment) => ['', '.', '..'].includes(segment) || /[\p{Cc}\s?#%*+\\]/u.test(segment)))
    throw new SecretFailedError('not_found');
  return segments.map(encodeURIComponent).join('/');
}

function valueIn({ status, body }: Answer, key: string): string {
  if (status === 403) throw new SecretFailedError('forbidden');
  if (status === 404) throw new SecretFailedError('not_found');
  const fields = isObject(body?.data) ? body.data.data : null;
  if (status !== 200 || !isObject(fields)) throw new SecretFailedError('malformed');
  if (!Object.hasOwn(fields, key)) throw new SecretFailedError('not_found');
  const value = fields[key];
  if (typeof value !== 'string' || value === '') throw new SecretFailedError('malformed');
  return value;
}
