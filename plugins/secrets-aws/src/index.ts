import type { PluginDeps } from '@svc/sdk';
import { defineSecrets } from '@svc/sdk/secrets';
import { requireInstalled } from '@svc/toolkit/installed';
import { isUnresolved } from '@svc/toolkit/network';
import { type ClientStore, clientBackend, serverOrigin } from '@svc/toolkit/secrets';
import { failureOf } from './failures.ts';
import { Options } from './options.ts';
import { requestHandler } from './request-handler.ts';

const CLIENT = '@aws-sdk/client-secrets-manager';
/** The client's first try, and one more. */
const ATTEMPTS = 2;

/** Secrets of AWS Secrets Manager. */
export default defineSecrets({
  type: 'aws',
  options: Options,
  create(options, deps: PluginDeps) {
    const { region, version_stage } = options;
    if (!isUnresolved(region) && !/^[a-z0-9-]{1,64}$/.test(region)) throw new Error('region: not a region, such as eu-central-1');
    const endpoint = options.endpoint === undefined ? {} : { endpoint: serverOrigin('endpoint', options.endpoint) };
    const [url = ''] = requireInstalled([CLIENT], deps.directory, import.meta.url);
    const store = {
      // Names, and ARNs of secrets of other accounts.
      names: /^[\w/+=.@:-]{1,2048}$/,
      failureOf,
      async open(fetch) {
        const sdk: typeof import('@aws-sdk/client-secrets-manager') = await import(/* @vite-ignore */ url);
        const client = new sdk.SecretsManagerClient({
          region,
          ...endpoint,
          maxAttempts: ATTEMPTS,
          requestHandler: requestHandler(fetch),
        });
        return async (path, abortSignal) => {
          const command = new sdk.GetSecretValueCommand({ SecretId: path, VersionStage: version_stage });
          const { SecretString: text, SecretBinary: bytes } = await client.send(command, { abortSignal });
          return text ?? bytes ?? '';
        };
      },
    } satisfies ClientStore;
    return clientBackend(store, options, deps);
  },
});
