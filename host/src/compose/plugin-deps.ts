import type { Counters, GuardDeps, Logger, PluginDeps } from '@svc/contracts';
import type { DepsFactories } from '../config/index.ts';
import type { Container } from './container.ts';
import { CLOCK, COUNTERS, LOGGER, RAG } from './tokens.ts';

const PROXIES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'];

/**
 * The dependencies of plugins. Plugins are created while the configuration is read, before the server exists. So a guard's counters and documents are
 * resolved when the guard uses them in a run.
 */
export function pluginDeps(container: Container, fetchOf: typeof outgoingFetch): DepsFactories {
  const logger = container.resolve(LOGGER);
  const clock = container.resolve(CLOCK);
  const deps = (name: string, directory: string): PluginDeps => ({
    name,
    directory,
    logger: logger.child({ plugin: name }),
    clock,
    fetch: fetchOf(logger, directory),
  });
  const counters = countersOf(container);
  const openNamespace = openNamespaceOf(container);
  return {
    provider: deps,
    exporter: deps,
    vectors: deps,
    embedder: deps,
    secrets: deps,
    protocol: deps,
    guard: (name, directory) => ({ ...deps(name, directory), counters, openNamespace }),
  };
}

/** A `fetch` that uses the proxy of the environment, if there is one. */
export function outgoingFetch(logger: Logger, directory: string): typeof fetch {
  return PROXIES.some((name) => process.env[name]) ? throughProxy(logger, directory) : globalThis.fetch;
}

/** The global `fetch` does not support proxies. This one is loaded on demand, because undici takes 30 MB of memory. */
function throughProxy(logger: Logger, directory: string): typeof fetch {
  const loading = async (): Promise<typeof fetch> => {
    const { fetchOver, Network } = await import('@svc/toolkit/upstream');
    return fetchOver(new Network({}, { directory, logger }).agent());
  };
  let loaded: Promise<typeof fetch> | undefined;
  return async (...given) => {
    loaded ??= loading();
    return (await loaded)(...given);
  };
}

function countersOf(container: Container): Counters {
  const counters = async (): Promise<Counters> => {
    if (!container.isRegistered(COUNTERS)) throw new Error('counters can be used only during a run');
    return container.resolve(COUNTERS);
  };
  return {
    reserve: async (...args) => (await counters()).reserve(...args),
    read: async (keys) => (await counters()).read(keys),
  };
}

function openNamespaceOf(container: Container): GuardDeps['openNamespace'] {
  return (namespace) => ({
    retrieve: async (...args) => {
      const rag = container.isRegistered(RAG) ? await container.resolve(RAG) : null;
      if (rag === null) throw new Error('retrieval is not available: add a section rag to the configuration');
      return rag.retrieve(namespace, ...args);
    },
  });
}
