import type { ProviderNode } from '../../config/index.ts';

/** What spans say about a configured provider. `server`: null if the configuration does not name one. */
export interface Upstream {
  readonly type: string;
  readonly server: { readonly address: string; readonly port: number } | null;
}

/** The server is that of `base_url`. Credentials and paths are left out, and so is a URL that is a secret. */
export function upstreamOf({ type, rawOptions }: Pick<ProviderNode, 'type' | 'rawOptions'>): Upstream {
  const { base_url } = rawOptions;
  const url = typeof base_url === 'string' && URL.canParse(base_url) ? new URL(base_url) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { type, server: null };
  const standard = url.protocol === 'https:' ? 443 : 80;
  return { type, server: { address: url.hostname, port: url.port === '' ? standard : Number(url.port) } };
}
