import type { StatefulKind } from '@svc/contracts';
import type { PipelineNode } from '@svc/kernel/routes';
import type { RouteSet } from '@svc/runtime';
import { type BuiltRoute, buildIndexPipeline, buildRoutes } from '../config/build-routes.ts';
import type { ResolvedConfig } from '../config/index.ts';
import type { ServedRoute } from '../http/find-route.ts';
import { servedRoutes } from './served-routes.ts';

/** A configuration, and what is built from it. */
export interface BuiltConfiguration {
  readonly config: ResolvedConfig;
  readonly built: readonly BuiltRoute[];
  readonly routes: ReadonlyMap<string, ServedRoute>;
  /** The nodes that check documents before they are indexed. */
  readonly index_pipeline: readonly PipelineNode[];
}

export function buildConfiguration(config: ResolvedConfig): BuiltConfiguration {
  const built = buildRoutes(config);
  return { config, built, routes: servedRoutes(config, built), index_pipeline: buildIndexPipeline(config) };
}

/** The part that the runtime uses. */
export function routeSetOf({ config, built, index_pipeline }: BuiltConfiguration): RouteSet {
  return { config_digest: config.digest, routes: built, nodes: index_pipeline };
}

/** The active configuration. It is replaced as a whole, so values that are read in the same turn are consistent. */
export class ActiveConfiguration {
  #current: BuiltConfiguration;
  #since: number;
  /** Names in every configuration that has been active. Runs of an earlier one may be in progress, here or in another process. */
  readonly #names = { route: new Set<string>(), provider: new Set<string>(), guard: new Set<string>() };

  constructor(first: ResolvedConfig, now: number) {
    this.#current = buildConfiguration(first);
    this.#since = now;
    this.#note(first);
  }

  get current(): BuiltConfiguration {
    return this.#current;
  }

  get routes(): ReadonlyMap<string, ServedRoute> {
    return this.#current.routes;
  }

  /** Milliseconds since the epoch. */
  get since(): number {
    return this.#since;
  }

  replace(next: BuiltConfiguration, now: number): void {
    this.#current = next;
    this.#since = now;
    this.#note(next.config);
  }

  /** Whether this configuration or an earlier one has the name. */
  hasHad(kind: Exclude<StatefulKind, 'principal'>, name: string): boolean {
    return this.#names[kind].has(name);
  }

  #note({ routes, providers, packs }: ResolvedConfig): void {
    for (const name of routes.keys()) this.#names.route.add(name);
    for (const name of providers.keys()) this.#names.provider.add(name);
    for (const name of packs.keys()) this.#names.guard.add(name);
  }
}
