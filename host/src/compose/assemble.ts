import { Closing } from '@svc/runtime';
import { closeInstances, type ResolvedConfig } from '../config/index.ts';
import { Connections } from '../http/server/connections.ts';
import type { Server } from '../http/typed-server.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { closeParts, closeServer, type OpenedParts } from './close.ts';
import type { Container } from './container.ts';
import { makeSecretRefresh } from './make-reload.ts';
import { startNotices } from './notices.ts';
import { provideServer } from './server.ts';
import { CERTIFICATES, DRAINING, GATEWAY, GUARD_POOL, LOGGER, RELOAD, RUN_STREAMS, SERVER, TRACING } from './tokens.ts';

export interface AssembledServer {
  readonly server: Server;
  /** Reports the server as not ready. Requests are still served. */
  drain(): void;
  /** Reads the configuration file and certificates again. The result is logged. */
  reload(): void;
  /**
   * Refuses new requests; ends runs, connections and the store, in that order. A part that hangs is abandoned.
   * @param grace_ms time for runs in progress, which are then interrupted
   */
  close(closing: Closing, grace_ms?: number): Promise<void>;
}

/** Limit of a shutdown after a failed start. */
const REFUSED_CLOSE_MS = 10_000;

/** Builds a server from a configuration. It does not listen yet. After a failure, everything that was opened is closed again. */
export async function assemble(config: ResolvedConfig, options: AssembleOptions, container: Container): Promise<AssembledServer> {
  const workers = container.resolve(GUARD_POOL);
  const close = (closing: Closing): Promise<void> => closeInstances(config, container.resolve(LOGGER), closing);
  const opened: OpenedParts = { instances: { close }, workers, tracing: null, gateway: null };
  try {
    provideServer(container, config, options);
    const reload = container.resolve(RELOAD);
    opened.instances = reload;
    if (config.server.guard_threads !== undefined) workers.size = config.server.guard_threads;
    opened.tracing = await container.resolve(TRACING);
    const gateway = await container.resolve(GATEWAY);
    opened.gateway = gateway;
    const server = await container.resolve(SERVER);
    reload.opened(gateway.former_digest);
    const notices = await startNotices(container, gateway);
    const streams = await container.resolve(RUN_STREAMS);
    const connections = new Connections(server.server);
    const drain = (): void => {
      container.resolve(DRAINING).begun = true;
    };
    const secrets = makeSecretRefresh(container);
    secrets.start();
    return {
      server,
      drain,
      reload: () => {
        void container.resolve(CERTIFICATES).renew();
        void reload.orderBySignal();
      },
      close: (closing, grace_ms = 0) => {
        Object.assign(container.resolve(DRAINING), { begun: true, refuses: true });
        streams.end();
        return closeServer({ ...opened, gateway, server, connections, notices, secrets }, closing, grace_ms);
      },
    };
  } catch (error) {
    await closeParts(opened, new Closing(REFUSED_CLOSE_MS));
    throw error;
  }
}
