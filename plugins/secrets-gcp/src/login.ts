import { isObject } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { ClientFetch } from '@svc/toolkit/secrets';
import type { AuthClient } from 'google-auth-library';

type Transporter = AuthClient['transporter'];

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
  const { transporter } = new library.PassThroughClient({ transporterOptions });
  const auth = new library.GoogleAuth({ projectId, scopes: SCOPES, clientOptions: { transporterOptions } });
  return async (url) => {
    try {
      const client = await auth.getClient();
      shareTransporter(client, transporter);
      return await client.getRequestHeaders(url);
    } catch (error) {
      if (error instanceof SecretFailedError) throw error;
      throw new SecretFailedError(isUnreachable(error) ? 'unavailable' : 'login_failed');
    }
  };
}

/** Parts of clients that send requests themselves: 11.3.4, `baseexternalclient.js` and `externalAccountAuthorizedUserClient.js`. */
const PARTS = ['stsCredential', 'supplierContext', 'externalAccountAuthorizedUserHandler'];

/**
 * The library gives federation and impersonation transporters of their own, without the options: 11.3.4, `fromImpersonatedJSON` in `googleauth.js`.
 * @throws {SecretFailedError} for a login by a client certificate, because the library replaces its transporter while it logs in
 */
function shareTransporter(client: object, transporter: Transporter): void {
  if (Reflect.get(client, 'credentialSourceType') === 'certificate') throw new SecretFailedError('login_failed');
  Object.assign(client, { transporter });
  for (const name of PARTS) {
    const part: unknown = Reflect.get(client, name);
    if (isObject(part)) Object.assign(part, { transporter });
  }
  const source: unknown = Reflect.get(client, 'sourceClient');
  if (isObject(source)) shareTransporter(source, transporter);
}

/** Whether the server of tokens did not answer, or is not ready. Without credentials, the library throws before it asks a server. */
function isUnreachable(error: unknown): boolean {
  if (!isObject(error)) return false;
  const status = isObject(error.response) ? error.response.status : undefined;
  if (typeof status === 'number') return status >= 500 || status === 429;
  return isObject(error.config);
}
