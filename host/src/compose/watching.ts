import type { Endpoint } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { type Observer, safeObserver } from '@svc/kernel/observing';
import type { ResolvedConfig } from '../config/index.ts';
import { bytesInFlightShare, processMemory } from '../process/memory-share.ts';
import type { BuiltConfiguration } from '../reload/active-configuration.ts';
import { CircuitLog } from '../telemetry/log/circuit-log.ts';
import { GuardFailureLog } from '../telemetry/log/guard-failure-log.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { upstreamOf } from '../telemetry/tracing/upstream.ts';
import type { Container } from './container.ts';
import { ACTIVE, CONFIG, LOGGER, NOTICES, OPTIONS, RATE_LIMITS, TRACING } from './tokens.ts';

/** Loaded on demand, because its libraries cost memory and time. */
export async function startTracing(container: Container): Promise<Tracing | null> {
  const { traces, directory } = container.resolve(CONFIG);
  const active = container.resolve(ACTIVE);
  if (traces === null) return null;
  const { Tracing } = await import('../telemetry/tracing/tracing.ts');
  const providerNamed = (name: string) => {
    const provider = active.current.config.providers.get(name);
    return provider === undefined ? { type: name, server: null } : upstreamOf(provider);
  };
  return new Tracing(traces, providerNamed, { directory, logger: container.resolve(LOGGER) });
}

export async function makeObserver(container: Container): Promise<Observer> {
  const { metrics } = container.resolve(OPTIONS);
  metrics.countTeams(namedTeams(container.resolve(CONFIG)));
  metrics.countUnpriced(unpricedEndpoints(container.resolve(ACTIVE).current));
  const tracing = await container.resolve(TRACING);
  const notices = await container.resolve(NOTICES);
  const limits = container.resolve(RATE_LIMITS);
  const logger = container.resolve(LOGGER);
  const logs = [new GuardFailureLog(logger), new CircuitLog(logger)];
  return safeObserver(...metrics.observers, ...logs, limits, ...[tracing, notices].filter((each) => each !== null));
}

/** The teams in a configuration. Teams of tokens, and of keys that were created at run time, are not included, because their number is unlimited. */
export function namedTeams({ keys, limits }: ResolvedConfig): Set<string> {
  const limited = limits.flatMap(({ subject, name }) => (subject === 'team' && name !== '*' ? [name] : []));
  return new Set([...keys.flatMap(({ team }) => team ?? []), ...limited]);
}

/** Models of routes that have no price. Empty if the configuration has no prices. */
export function unpricedEndpoints({ config, built }: BuiltConfiguration): readonly Endpoint[] {
  if (config.prices === null) return [];
  return built.flatMap(({ runtime }) =>
    runtime.endpoints.filter(({ price, pattern }) => price === undefined && pattern === undefined),
  );
}

export function countBytes(container: Container): BytesInFlight {
  const { max_bytes_in_flight, workers, body_limit_bytes } = container.resolve(CONFIG).server;
  const bytes = new BytesInFlight(max_bytes_in_flight ?? bytesInFlightShare(processMemory(), workers, body_limit_bytes));
  container.resolve(OPTIONS).metrics.watch(bytes);
  return bytes;
}
