import type { Store } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import type { Logger } from 'pino';
import { assemble } from '../compose/assemble.ts';
import type { Container } from '../compose/container.ts';
import { LOGGER } from '../compose/tokens.ts';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { drainDelay } from '../ending/drain.ts';
import type { Lifetime } from '../ending/lifetime.ts';
import { CLOSING_MS, WATCHDOG_MS } from '../ending/limits.ts';
import { say } from '../ending/say.ts';
import { CliError } from '../errors/cli-error.ts';
import { systemRefusal } from '../errors/system-refusal.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

export interface Serving {
  readonly runs_db: RunsDb;
  /** Used instead of opening `runs_db` in this process. */
  readonly store?: Store;
  readonly host: string;
  readonly port: number;
  /** See {@link allowedHosts}. Null: keys are required. */
  readonly allowed_hosts: readonly string[] | null;
  readonly demo: boolean;
  /** How long the gateway still serves after the signal to stop, while it is reported as not ready. */
  readonly drain_delay_ms: number;
  /** How long runs in progress then have to end, while new requests are refused. */
  readonly drain_timeout_ms: number;
  readonly accepts_clock: boolean;
  /** False if another process of this server records the inventory. */
  readonly seals_inventory: boolean;
  readonly metrics: Metrics;
  /** Called with each configuration that is applied after the start. */
  readonly applied?: (config: ResolvedConfig) => void;
  /** Rejects when no process can open the port any longer: listening would then wait forever. */
  readonly lost?: Promise<never>;
}

/** How long a start in progress may take after the signal to stop. */
const START_LIMIT_MS = 5_000;

/**
 * One gateway, from creation to shutdown. The shutdown takes at most {@link CLOSING_MS} after the drain delay and
 * timeout, even if a part hangs.
 * @param lifetime its `stop` may resolve during the start
 * @returns the parts that did not end
 * @throws {CliError} if it cannot start
 */
export async function serveConfiguration(
  config: ResolvedConfig,
  serving: Serving,
  container: Container,
  { stop, onReload, watchdog }: Lifetime,
  listening: (url: string) => void,
): Promise<readonly string[]> {
  const { runs_db, store, host, port, allowed_hosts, demo, accepts_clock, seals_inventory, metrics, applied, lost } = serving;
  const { drain_delay_ms, drain_timeout_ms } = serving;
  const logger = container.resolve(LOGGER);
  const stopping = stop.then((signal) => {
    watchdog.arm(drain_delay_ms + drain_timeout_ms + WATCHDOG_MS);
    logger.info({ event: 'stopping', signal });
  });
  const ended = async (end: (closing: Closing) => Promise<void>, grace_ms = 0): Promise<readonly string[]> => {
    const closing = new Closing(grace_ms + CLOSING_MS);
    await end(closing);
    return sayStopped(closing.left, logger);
  };
  const given = {
    runs_db,
    ...(store && { store }),
    metrics,
    seals_inventory,
    demo,
    accepts_clock,
    allowed_hosts,
    ...(applied && { applied }),
  };
  const assembling = assemble(config, given, container);
  const assembled = await Promise.race([assembling.catch(refuseStart), stopping.then(() => null)]);
  if (assembled === null) {
    return ended(async (all) => {
      const started = assembling.then(
        (late) => late.close(all),
        () => undefined,
      );
      await all.end('start', START_LIMIT_MS, () => started);
    });
  }
  const listened = assembled.server.listen({ host, port });
  const url = await (lost === undefined ? listened : Promise.race([listened, lost])).catch(async (error: unknown) => {
    await assembled.close(new Closing(CLOSING_MS));
    return refuseStart(error);
  });
  listening(url);
  onReload(assembled.reload);
  await stopping;
  assembled.drain();
  await drainDelay(drain_delay_ms, lost);
  return ended((all) => assembled.close(all, drain_timeout_ms), drain_timeout_ms);
}

/** Also written to stderr, because the part that hangs may be the log. */
export async function sayStopped(left: readonly string[], logger: Pick<Logger, 'info' | 'error'>): Promise<readonly string[]> {
  if (left.length === 0) logger.info({ event: 'stopped' });
  else {
    logger.error({ event: 'stopped', left });
    await say(`svc: stopped before these had finished: ${left.join(', ')}`);
  }
  return left;
}

/** Why the start failed, as one line that includes the causes. */
export function refuseStart(error: unknown): never {
  const refused = systemRefusal(error);
  if (refused !== null) throw new CliError(refused);
  const messages: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) messages.push(at.message);
  throw new CliError(messages.join(': ') || 'the server could not start');
}
