import type { GuardPool } from '@svc/kernel/workers';
import type { Closing, Gateway } from '@svc/runtime';
import type { Connections } from '../http/server/connections.ts';
import type { Server } from '../http/typed-server.ts';
import type { Notices } from '../notices/notices.ts';
import type { SecretRefresh } from '../reload/secret-refresh.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

/** A refresh in progress is aborted, but a reload that it began is not. */
const SECRETS_CLOSE_MS = 1_000;
/** The server's connections are closed by then. */
const SERVER_CLOSE_MS = 500;
/** Responses in progress have five seconds. */
const CONNECTIONS_CLOSE_MS = 5_500;
const NOTICES_CLOSE_MS = 2_000;
const TRACES_CLOSE_MS = 3_000;
const WORKERS_CLOSE_MS = 2_000;

/** Parts that may have been opened before a start failed. */
export interface OpenedParts {
  /** Closes guards and providers. */
  instances: { readonly close: (closing: Closing) => Promise<void> };
  readonly workers: GuardPool;
  tracing: Tracing | null;
  gateway: Gateway | null;
}

export interface OpenedServer extends OpenedParts {
  readonly gateway: Gateway;
  readonly server: Server;
  readonly connections: Connections;
  readonly notices: Notices | null;
  readonly secrets: SecretRefresh;
}

/**
 * Stops reading secrets. Ends runs while new requests are refused, then stops listening and ends responses in progress, then closes the other parts.
 * The order is written out here, because the container has none.
 * @param grace_ms time for runs in progress
 */
export async function closeServer(opened: OpenedServer, closing: Closing, grace_ms: number): Promise<void> {
  const { server, gateway, connections, notices, secrets } = opened;
  await closing.end('secrets', SECRETS_CLOSE_MS, () => secrets.close());
  await gateway.endRuns(closing, grace_ms);
  const closed = connections.stopListening();
  await closing.end('connections', CONNECTIONS_CLOSE_MS, () => connections.endWhenSent(closed));
  await closing.end('server', SERVER_CLOSE_MS, () => server.close());
  if (notices !== null) await closing.end('notices', NOTICES_CLOSE_MS, () => notices.close());
  await closeParts(opened, closing);
}

/** Closes the gateway with its store, and traces. Then closes the plugins and threads that its runs used. */
export async function closeParts({ instances, workers, tracing, gateway }: OpenedParts, closing: Closing): Promise<void> {
  await Promise.all([gateway?.close(closing), closing.end('traces', TRACES_CLOSE_MS, () => tracing?.close())]);
  await Promise.all([instances.close(closing), closing.end('worker threads', WORKERS_CLOSE_MS, () => workers.close())]);
}
