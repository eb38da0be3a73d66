import { hash } from 'node:crypto';
import type { Endpoint } from '@svc/contracts';

/** The position of a fallback: after all weighted endpoints. */
const NEVER = Number.MAX_VALUE;

/** An endpoint to be ordered. `weight`: its share of the runs; null: a fallback. */
interface Weighted {
  readonly provider: string;
  readonly model: string;
  readonly weight: number | null;
}

/**
 * The endpoints in the order in which a run tries them: first the weighted ones in a random order, then the fallbacks as listed. The random order is
 * derived from the run's id, or from its affinity key, so a run that paused before a call continues with the approved endpoint. The method is
 * weighted rendezvous hashing: Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005.
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
  /** Replaces the run's id as the seed of the random order, see `affinityKey`. Null or absent: the run's id is used. */
  readonly affinity?: string | null;
  /** Not null for an embeddings request. */
  readonly embedding?: string | null;
}

/** A run's endpoints, in order. Embeddings use only one model, because vectors of different models are not comparable. */
export function endpointsFor<T extends Weighted>({ route, run_id, affinity, embedding }: Routed<T>): readonly T[] {
  return embedding == null ? inOrder(route.endpoints, affinity ?? run_id) : route.endpoints.slice(0, 1);
}

/** Only the fields that identify the endpoint, in canonical order. */
export function endpointOf({ model, provider, region }: Endpoint): Endpoint {
  return { model, provider, region };
}

/** The first endpoint of a run on this route. Null if the route has none. */
export function firstEndpoint(run: Routed<Endpoint & Weighted>): Endpoint | null {
  const [first] = endpointsFor(run);
  return first === undefined ? null : endpointOf(first);
}

/** The endpoint with the smallest value comes first. The value is an exponentially distributed waiting time with the rate `weight`. */
function lotOf({ provider, model, weight }: Weighted, drawn_by: string): number {
  if (weight === null) return NEVER;
  const bits = hash('sha256', JSON.stringify([drawn_by, provider, model]), 'buffer').readUInt32BE();
  return -Math.log((bits + 1) / 2 ** 32) / weight;
}
