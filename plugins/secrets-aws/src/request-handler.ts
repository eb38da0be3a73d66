import type { ClientFetch } from '@svc/toolkit/secrets';

/** The part of the client's request that is used: https://www.npmjs.com/package/@smithy/types, `HttpRequest`. */
interface Sent {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends the client's requests, and those with which it gets credentials from STS and SSO, with the gateway's own `fetch`. */
export function requestHandler(fetch: ClientFetch) {
  return {
    async handle(sent: Sent, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const init = {
        method: sent.method,
        headers: withoutHost(sent.headers),
        body: sent.body ?? null,
        signal: abortSignal ?? null,
      };
      const response = await fetch(urlOf(sent), init);
      const body = new Uint8Array(await response.arrayBuffer());
      return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body } };
    },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
  };
}

function urlOf({ protocol, hostname, port, path, query = {} }: Sent): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, values] of Object.entries(query))
    for (const value of [values ?? ''].flat()) url.searchParams.append(name, value);
  return url;
}

/** `fetch` sets it from the URL, as it was signed. */
function withoutHost(headers: Sent['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
}
