import { isObject } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { ClientFetch } from '@svc/toolkit/secrets';
import type { AuthClient } from 'google-auth-library';

/** What the API asks for: https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access */
const SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];

/**
 * A login by Application Default Credentials. The library keeps its token until that expires.
 * @param projectId any; otherwise the library runs `gcloud` and asks the metadata server for it
 * @returns the headers of a request
 */
export function loginWith(
  library: typeof import('google-auth-library'),
  projectId: string,
  fetch: ClientFetch,
): (url: string) => Promise<Headers> {
  const transporterOptions = { fetchImplementation: fetch as typeof globalThis.fetch };
  const auth = new library.GoogleAuth({ projectId, scopes: SCOPES, clientOptions: { transporterOptions } });
  return async (url) => {
    try {
      const client = await auth.getClient();
      shareTransporter(client);
      return await client.getRequestHeaders(url);
    } catch (error) {
      throw new SecretFailedError(isUnreachable(error) ? 'unavailable' : 'login_failed');
    }
  };
}

/** The library gives workload identity federation a transporter of its own, without the options: 11.3.4, `baseexternalclient.js`. */
function shareTransporter(client: AuthClient): void {
  const exchange: unknown = Reflect.get(client, 'stsCredential');
  if (isObject(exchange)) Object.assign(exchange, { transporter: client.transporter });
}

/** Whether the server of tokens did not answer, or is not ready. Without credentials, the library throws before it asks a server. */
function isUnreachable(error: unknown): boolean {
  if (!isObject(error)) return false;
  const status = isObject(error.response) ? error.response.status : undefined;
  if (typeof status === 'number') return status >= 500 || status === 429;
  return isObject(error.config);
}
