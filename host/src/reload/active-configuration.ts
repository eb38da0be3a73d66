import type { PipelineNode, RouteSet } from '@svc/kernel';
import { type BuiltRoute, buildIndexPipeline, buildRoutes } from '../config/build-routes.ts';
import type { ResolvedConfig } from '../config/index.ts';
import type { ServedRoute } from '../http/surface.ts';
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

/** What the engine takes of it. */
export function routeSetOf({ config, built, index_pipeline }: BuiltConfiguration): RouteSet {
  return { config_digest: config.digest, routes: built, nodes: index_pipeline };
}

/** The configuration in force. It is replaced as a whole, so whatever is read of it in one turn belongs together. */
export class ActiveConfiguration {
  current: BuiltConfiguration;
  /** Milliseconds since the epoch. */
  since: number;

  constructor(first: ResolvedConfig, now: number) {
    this.current = buildConfiguration(first);
    this.since = now;
  }
}
