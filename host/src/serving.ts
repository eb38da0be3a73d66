import type { ResolvedConfig } from '@svc/kernel';
import type { Logger } from 'pino';
import { Refusal } from './commands/refusal.ts';
import { assemble, type Parts } from './compose.ts';
import type { Metrics } from './metrics.ts';
import type { RunsDb } from './runs-db.ts';
import { logUnhandledRejections } from './unhandled-rejections.ts';

export interface Serving {
  readonly runs_db: RunsDb;
  readonly host: string;
  readonly port: number;
  readonly no_auth: boolean;
  readonly demo: boolean;
  /** False where another process of this server has done it. */
  readonly seals_inventory: boolean;
  readonly metrics: Metrics;
  /** Rejects once there is nobody any more who could open the port: to listen would never come to an end. */
  readonly lost?: Promise<never>;
}

/**
 * One gateway, from its making to its end in order.
 * @param stop resolves to why it is to end
 * @throws {Refusal} where it cannot start
 */
export async function serveConfiguration(
  config: ResolvedConfig,
  { runs_db, host, port, no_auth, demo, seals_inventory, metrics, lost }: Serving,
  { parts, logger }: { readonly parts: Parts; readonly logger: Logger },
  stop: Promise<string>,
  listening: (url: string) => void,
): Promise<void> {
  const without_auth = no_auth ? { without_auth: { names: localNames(host) } } : {};
  logUnhandledRejections(logger);
  const assembled = await assemble(config, { runs_db, metrics, seals_inventory, demo, ...without_auth }, parts, logger).catch(
    refuseStart,
  );
  const listened = assembled.server.listen({ host, port });
  const url = await (lost === undefined ? listened : Promise.race([listened, lost])).catch(async (error: unknown) => {
    await assembled.close();
    return refuseStart(error);
  });
  listening(url);
  logger.info({ event: 'stopping', signal: await stop });
  await assembled.close();
  logger.info({ event: 'stopped' });
}

/** What `Host` may name for a gateway that listens on the loopback; null where it listens wider and may have any name. */
function localNames(host: string): readonly string[] | null {
  const names = ['127.0.0.1', 'localhost', '[::1]', '::1'];
  return names.includes(host) ? names : null;
}

/** What stopped the start, in one line, causes included. */
function refuseStart(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? `port ${error.port}` : 'the port';
    throw new Refusal(`${port} is taken (EADDRINUSE): end what listens there, or give another with --port or server.port`);
  }
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  throw new Refusal(messages.join(': ') || 'the server could not start');
}
