import { resolve } from 'node:path';
import { defineSecrets } from '@svc/sdk';
import type { HeldKey, SigningBackend } from '@svc/sdk/secrets';
import { Options } from './options.ts';
import { TokenClient } from './token-client.ts';

/** Ed25519 keys in a PKCS#11 token. `secret://NAME/TOKEN#KEY`: the labels of the token and of the key. */
export default defineSecrets<typeof Options, SigningBackend>({
  type: 'pkcs11',
  options: Options,
  create({ module, pin, refresh_s, timeout_ms }, { directory, logger }): SigningBackend {
    const client = new TokenClient({ module: resolve(directory, module), pin, timeout_ms, logger });
    return {
      async signingKey(token, label, signal): Promise<HeldKey> {
        const public_key = await client.ask({ token, label, sign: null }, signal);
        return {
          public_key,
          sign: (message, signal) => client.ask({ token, label, sign: { public_key, message } }, signal),
          refresh_after_ms: refresh_s * 1_000,
        };
      },
      close: () => client.close(),
    };
  },
});
