import type { SecretClientOptions } from '@azure/keyvault-secrets';
import type { ClientFetch } from '@svc/toolkit/secrets';

type HttpClient = NonNullable<SecretClientOptions['httpClient']>;
type Answer = Awaited<ReturnType<HttpClient['sendRequest']>>;

/** Sends the requests of the client and of its login with the gateway's own `fetch`. */
export function httpClient(fetch: ClientFetch): HttpClient {
  return {
    async sendRequest(request): Promise<Answer> {
      const { url, method, headers, body, abortSignal } = request;
      if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('the body is not a text');
      const signal = (abortSignal as AbortSignal | undefined) ?? null;
      const response = await fetch(url, { method, headers: headers.toJSON(), body: body ?? null, signal });
      return { request, status: response.status, headers: headersOf(response), bodyAsText: await response.text() };
    },
  };
}

function headersOf({ headers }: Response): Answer['headers'] {
  return {
    get: (name) => headers.get(name) ?? undefined,
    has: (name) => headers.has(name),
    set: (name, value) => headers.set(name, `${value}`),
    delete: (name) => headers.delete(name),
    toJSON: () => Object.fromEntries(headers),
    [Symbol.iterator]: () => headers[Symbol.iterator](),
  };
}
