import { isObject } from '@svc/sdk';
import { defineSecrets, type SecretFailure } from '@svc/sdk/secrets';
import { requireInstalled } from '@svc/toolkit/installed';
import { type ClientStore, clientBackend, serverOrigin } from '@svc/toolkit/secrets';
import { httpClient } from './http-client.ts';
import { Options } from './options.ts';

const CLIENTS = ['@azure/keyvault-secrets', '@azure/identity'];
/** After the first try. */
const RETRIES = { maxRetries: 1 };

/** Secrets of Azure Key Vault. */
export default defineSecrets({
  type: 'azure',
  options: Options,
  create(options, deps) {
    const vault = serverOrigin('vault', options.vault);
    if (vault.startsWith('http:')) throw new Error('vault: must be https');
    const [secrets = '', identity = ''] = requireInstalled(CLIENTS, deps.directory, import.meta.url);
    const store = {
      names: /^[0-9A-Za-z-]{1,127}$/,
      failureOf,
      async open(fetch) {
        const { SecretClient }: typeof import('@azure/keyvault-secrets') = await import(/* @vite-ignore */ secrets);
        const { DefaultAzureCredential }: typeof import('@azure/identity') = await import(/* @vite-ignore */ identity);
        const shared = { httpClient: httpClient(fetch), retryOptions: RETRIES };
        const client = new SecretClient(vault, new DefaultAzureCredential(shared), shared);
        return async (name, abortSignal) => (await client.getSecret(name, { abortSignal })).value ?? '';
      },
    } satisfies ClientStore;
    return clientBackend(store, options, deps);
  },
});

/** Errors of `@azure/identity`. */
const LOGIN = /^(?:AggregateAuthentication|Authentication|AuthenticationRequired|CredentialUnavailable)Error$/;

/** By the status: https://learn.microsoft.com/azure/key-vault/general/rest-error-codes. Null: it cannot be reached, or is not ready. */
function failureOf(error: unknown): SecretFailure | null {
  if (!isObject(error)) return null;
  if (LOGIN.test(`${error.name}`) || error.statusCode === 401) return 'login_failed';
  if (error.statusCode === 403) return 'forbidden';
  // 400: the name of no secret.
  return error.statusCode === 404 || error.statusCode === 400 ? 'not_found' : null;
}
