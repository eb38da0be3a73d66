import { hash } from 'node:crypto';
import type { Endpoint } from '@svc/contracts';

/** Larger than any lot. */
const NEVER = Number.MAX_VALUE;

/** What the order looks at. `weight`: the endpoint's share of the runs; null: it is a fallback. */
interface Weighted {
  readonly provider: string;
  readonly model: string;
  readonly weight: number | null;
}

/**
 * The endpoints in the order in which one run tries them: those with a weight drawn by lot, then the fallbacks as they are listed. The lot is made
 * of the run's id, or of what it shares with others, so that a run which paused before a call goes on to the endpoint that was approved.
 * Weighted rendezvous hashing: Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005.
 */
export function inOrder<T extends Weighted>(endpoints: readonly T[], drawn_by: string): readonly T[] {
  if (endpoints.length < 2 || endpoints.every(({ weight }) => weight === null)) return endpoints;
  const lots = new Map(endpoints.map((endpoint) => [endpoint, lotOf(endpoint, drawn_by)]));
  const lot = (endpoint: T): number => lots.get(endpoint) ?? NEVER;
  return endpoints.toSorted((a, b) => lot(a) - lot(b));
}

/** A run, or a request that becomes one. */
interface Routed<T> {
  readonly route: { readonly endpoints: readonly T[] };
  readonly run_id: string;
  /** What its lot is made of in place of its id, see `affinityKey`. Null or absent: nothing. */
  readonly affinity?: string | null;
  /** Not null: it asks for vectors. */
  readonly embedding?: string | null;
}

/** The endpoints that a run may be sent to, in order. Vectors come from one model alone: those of two are not to be compared. */
export function endpointsFor<T extends Weighted>({ route, run_id, affinity, embedding }: Routed<T>): readonly T[] {
  return embedding == null ? inOrder(route.endpoints, affinity ?? run_id) : route.endpoints.slice(0, 1);
}

/** Those alone that say where it is, in canonical order. */
export function endpointOf({ model, provider, region }: Endpoint): Endpoint {
  return { model, provider, region };
}

/** The endpoint that a run on this route is sent to first; null: the route has none. */
export function firstEndpoint(run: Routed<Endpoint & Weighted>): Endpoint | null {
  const [first] = endpointsFor(run);
  return first === undefined ? null : endpointOf(first);
}

/** The smallest comes first: the time until a clock strikes that strikes `weight` times as often. */
function lotOf({ provider, model, weight }: Weighted, drawn_by: string): number {
  if (weight === null) return NEVER;
  const bits = hash('sha256', JSON.stringify([drawn_by, provider, model]), 'buffer').readUInt32BE();
  return -Math.log((bits + 1) / 2 ** 32) / weight;
}
