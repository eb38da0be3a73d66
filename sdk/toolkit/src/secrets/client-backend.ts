import {
  errorName,
  type PluginDeps,
  SecretFailedError,
  type SecretFailure,
  type SecretsBackend,
  withTimeout,
} from '@svc/contracts';
import { type ClientFetch, ClientNetwork } from './client-network.ts';
import { fieldOf } from './field.ts';
import type { ClientOptions } from './options.ts';

type StoreDeps = Pick<PluginDeps, 'directory' | 'logger'>;

/** Reads one secret, as it was written. */
type ReadSecret = (path: string, signal: AbortSignal) => Promise<string | Uint8Array>;

/** How a plugin describes its store. */
export interface ClientStore {
  /** The names that are valid in the store. Others are not looked up. */
  readonly names: RegExp;
  /** Imports and creates the client, with new credentials. Called at the first read, and after its login was refused. */
  readonly open: (fetch: ClientFetch) => Promise<ReadSecret>;
  /** The reason in an error of the client. Null: the store cannot be reached, or is not ready. */
  readonly failureOf: (error: unknown) => SecretFailure | null;
}

interface Client {
  readonly read: Promise<ReadSecret>;
  hasRead: boolean;
}

/**
 * A backend that reads secrets with the client of a store.
 * @throws {Error} with the key and the remedy, never with a value, for options that cannot be used
 */
export function clientBackend(store: ClientStore, options: ClientOptions, deps: StoreDeps): SecretsBackend {
  const network = new ClientNetwork(options, deps);
  const refresh_after_ms = options.refresh_s * 1_000;
  let current: Client | null = null;
  let logged: string | null = null;
  let isClosed = false;

  const open = (): Client => {
    const read = store.open(network.fetch).catch((error: unknown) => {
      current = null;
      // Its message may contain a value.
      const reason = errorName(error);
      if (reason !== logged) deps.logger.warn({ event: 'secrets_client_unusable', reason });
      logged = reason;
      throw new SecretFailedError('unavailable');
    });
    return { read, hasRead: false };
  };

  /** Credentials that were valid may have been replaced. A new client finds the new ones. */
  const content = async (path: string, signal: AbortSignal, isRetry = false): Promise<string | Uint8Array> => {
    current ??= open();
    const client = current;
    try {
      const found = await (await client.read)(path, signal);
      client.hasRead = true;
      logged = null;
      return found;
    } catch (error) {
      const failure = error instanceof SecretFailedError ? error.failure : (store.failureOf(error) ?? 'unavailable');
      if (failure === 'login_failed' && current === client) current = null;
      if (failure !== 'login_failed' || !client.hasRead || isRetry || isClosed) throw new SecretFailedError(failure);
      return content(path, signal, true);
    }
  };

  return {
    async resolve(path, key, signal) {
      signal.throwIfAborted();
      if (!store.names.test(path)) throw new SecretFailedError('not_found');
      if (isClosed) throw new SecretFailedError('unavailable');
      const limited = AbortSignal.any([signal, AbortSignal.timeout(options.timeout_ms)]);
      try {
        // Some clients ignore the signal while they log in.
        const answer = await withTimeout(content(path, limited), options.timeout_ms, signal);
        if (!answer.done) throw new SecretFailedError('unavailable');
        return { value: fieldOf(answer.value, key), refresh_after_ms };
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      // It has credentials.
      current = null;
      await network.close();
    },
  };
}
