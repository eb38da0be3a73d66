import { createHash, randomBytes } from 'node:crypto';

export interface NewKey {
  /** `svc-` and 64 hex characters. Shown once and stored nowhere. */
  readonly key: string;
  /** The form for the configuration: `sha256:` and hex. */
  readonly key_hash: string;
}

export function newKey(): NewKey {
  const key = `svc-${randomBytes(32).toString('hex')}`;
  return { key, key_hash: hashOfKey(key) };
}

export function hashOfKey(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
