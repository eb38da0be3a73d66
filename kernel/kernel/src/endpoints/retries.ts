import { setTimeout } from 'node:timers/promises';
import { type Endpoint, meaningOf, type ProviderError } from '@svc/contracts';
import { mayHaveCost } from '../calls/provider-failure.ts';
import type { CallEnd, Circuits } from './circuits.ts';

/** The first wait. Each further one is twice as long. */
const FIRST_MS = 250;

/** Maximum wait for one endpoint. */
const MAX_PAUSE_MS = 10_000;

/**
 * How long to wait before the same call is repeated, in milliseconds; null: do not repeat it. Only a call that certainly cost nothing may be
 * repeated. If the upstream gave a delay, that is used. Otherwise the wait is random, up to a bound that doubles each time ("full jitter",
 * aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter), so that callers who failed together do not retry together.
 * @param done number of repetitions so far
 */
export function pauseBefore(failure: ProviderError, done: number, random: () => number = Math.random): number | null {
  const { kind, code, retry_after_ms, retry_after_s } = failure;
  if (kind !== 'rate_limited' && kind !== 'unavailable') return null;
  if (mayHaveCost(failure) || meaningOf(code) === 'quota') return null;
  const requested = retry_after_ms ?? (retry_after_s === undefined ? undefined : retry_after_s * 1000);
  const own = Math.ceil(random() * FIRST_MS * 2 ** done);
  // No caller retries before the time that the upstream gave, and not all callers retry at the same time.
  const pause = requested === undefined ? own : requested + own;
  return pause > MAX_PAUSE_MS ? null : pause;
}

/** Resolves to false as soon as the signal aborts. */
export async function waited(pause_ms: number, signal: AbortSignal): Promise<boolean> {
  if (pause_ms === 0) return true;
  return setTimeout(pause_ms, true, { signal }).catch(() => false);
}

interface Calling {
  readonly route: { readonly retries: number };
  readonly abort: { readonly signal: AbortSignal };
  calling: string | null;
}

/** Calls an endpoint, and repeats the call if that costs nothing. */
export async function callRepeatedly<End extends CallEnd, E extends Endpoint>(
  run: Calling,
  endpoint: E,
  call: (endpoint: E) => Promise<End>,
  circuits: Pick<Circuits, 'ended'>,
): Promise<End> {
  run.calling = endpoint.provider;
  for (let repeated = 0; ; repeated += 1) {
    const end: End = await call(endpoint);
    const mayRepeat = end.kind === 'failed' && end.fallback && repeated < run.route.retries;
    const pause = mayRepeat ? pauseBefore(end.failure, repeated) : null;
    if (pause !== null && (await waited(pause, run.abort.signal))) continue;
    run.calling = null;
    circuits.ended(endpoint, end);
    return end;
  }
}
