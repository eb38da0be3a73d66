import type { Clock, Protocol } from '@svc/contracts';
import type { GuardPool } from '@svc/kernel/workers';
import { type GuardsEnv, type NotAsked, type OfflineRoute, offlineRoute } from '@svc/runtime';
import { usableConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { CLOCK, GUARD_POOL } from '../compose/tokens.ts';
import { buildRoutes } from '../config/build-routes.ts';
import { closeInstances, type ResolvedConfig } from '../config/index.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { startGuard } from '../try/guard-work.ts';
import { refusing } from './without-fetch.ts';

/** A configuration whose guards can be asked without a server. */
export interface Candidate extends GuardsEnv {
  /** As the user named it. */
  readonly file: string;
  readonly digest: string;
  readonly routes: ReadonlyMap<string, OfflineRoute>;
  readonly protocols: readonly Protocol[];
  /** The guards that are not asked, by name. */
  readonly not_asked: ReadonlyMap<string, NotAsked>;
  close(): Promise<void>;
}

/** Reads a configuration without secrets, and starts the guards that are asked. @throws {CliError} */
export async function openCandidate(file: string): Promise<Candidate> {
  const host = newHost(silentLogger, () => refusing);
  const workers = host.resolve(GUARD_POOL);
  let config: ResolvedConfig | null = null;
  const close = async (): Promise<void> => {
    if (config !== null) await closeInstances(config, silentLogger);
    await workers.close();
  };
  try {
    config = await usableConfiguration(file, host);
    return { ...(await opened(config, host.resolve(CLOCK), workers)), file, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function opened(config: ResolvedConfig, clock: Clock, workers: GuardPool): Promise<Omit<Candidate, 'file' | 'close'>> {
  if (config.server.guard_threads !== undefined) workers.size = config.server.guard_threads;
  const routes = new Map(buildRoutes(config).map(({ runtime }) => [runtime.name, offlineRoute(runtime)]));
  const all = [...routes.values()];
  const not_asked = new Map(all.flatMap((route) => [...route.not_asked]));
  const nodes = all.flatMap(({ runtime: { ingress, egress } }) => [...ingress, ...egress]);
  const asked = new Map(nodes.filter(({ name }) => !not_asked.has(name)).map((node) => [node.name, node]));
  for (const node of asked.values()) await startGuard(node);
  const protocols = config.protocols.map(({ protocol }) => protocol);
  return { digest: config.digest, routes, protocols, not_asked, clock, workers, logger: silentLogger };
}
