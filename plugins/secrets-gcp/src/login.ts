import { isObject } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { ClientFetch } from '@svc/toolkit/secrets';

/** What the API asks for: https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access */
const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

/**
 * A login by Application Default Credentials. The library keeps its token until that expires.
 * @returns the headers of a request
 */
export function loginWith(library: typeof import('google-auth-library'), fetch: ClientFetch): (url: string) => Promise<Headers> {
  const transporterOptions = { fetchImplementation: fetch as typeof globalThis.fetch };
  const auth = new library.GoogleAuth({ scopes: SCOPES, clientOptions: { transporterOptions } });
  return async (url) => {
    try {
      return await auth.getRequestHeaders(url);
    } catch (error) {
      console.error("DBG", error); throw new SecretFailedError(isUnreachable(error) ? 'unavailable' : 'login_failed');
    }
  };
}

/** Whether the server of tokens did not answer, or is not ready. Without credentials, the library throws before it asks a server. */
function isUnreachable(error: unknown): boolean {
  if (!isObject(error)) return false;
  const status = isObject(error.response) ? error.response.status : undefined;
  if (typeof status === 'number') return status >= 500 || status === 429;
  return isObject(error.config);
}
