import type { Clock, Endpoint, ProviderError } from '@svc/contracts';
import type { CircuitCause, Observer } from '../observing/observer.ts';
import { circuitCause } from './circuit-cause.ts';

/** This many failures in a row open a circuit. So does a single refusal. */
const FAILURES = 5;

/** `pattern`: present if the caller named the model. */
type Named = Endpoint & { readonly pattern?: string };

/** How long a circuit stays open. After that, one run at a time tries the endpoint again. */
const OPEN_MS = 10_000;

/** As `OPEN_MS`, after a refusal that an operator must fix. */
const REFUSED_MS = 60_000;

/** How a call ended. `fallback`: it may be repeated, because none of its answer was sent. */
export type CallEnd =
  | { readonly kind: 'answered' | 'stopped' }
  | { readonly kind: 'failed'; readonly failure: ProviderError; readonly fallback: boolean };

interface Circuit {
  readonly endpoint: Endpoint;
  readonly cause: CircuitCause;
  readonly failures: number;
  /** In milliseconds of the monotonic clock. Null: the circuit is closed. */
  open_until: number | null;
}

/**
 * Circuit breakers of this process, one per endpoint. A circuit opens if the endpoint's most recent calls all failed, or the latest was refused.
 * While another endpoint is available, endpoints with an open circuit are skipped, so that runs do not wait for a known failure.
 */
export class Circuits {
  readonly #clock: Clock;
  readonly #observer: Pick<Observer, 'circuit'>;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock, observer: Pick<Observer, 'circuit'>) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Whether to skip the endpoint. When the circuit has been open for long enough, the first run that asks may try the endpoint. */
  isOpen(endpoint: Named): boolean {
    const circuit = this.#circuits.get(keyOf(endpoint));
    if (circuit === undefined || circuit.open_until === null) return false;
    const now = this.#clock.monotonic();
    if (now < circuit.open_until) return true;
    circuit.open_until = now + openFor(circuit.cause);
    return false;
  }

  /** Records how a run's calls to an endpoint ended. Only results that reveal something about the endpoint count, see {@link circuitCause}. */
  ended(called: Named, end: CallEnd): void {
    if (end.kind === 'answered') {
      if (this.#circuits.size > 0) this.#close(keyOf(called));
      return;
    }
    const { provider, model, region, pattern } = called;
    // Callers may name any number of models, so the pattern stands for all of them.
    const endpoint = { provider, model: pattern ?? model, region };
    const key = keyOf(endpoint);
    const circuit = this.#circuits.get(key);
    const found = end.kind === 'failed' ? circuitCause(end.failure) : null;
    // If one model does not exist or this account may not use it, that says nothing about the other models of the pattern.
    const cause = pattern !== undefined && (found === 'not_found' || found === 'access') ? null : found;
    const now = this.#clock.monotonic();
    if (cause === null) {
      // The next run may try the endpoint.
      if (circuit !== undefined && circuit.open_until !== null) circuit.open_until = now;
      return;
    }
    const isSame = circuit?.cause === cause;
    if (!isSame) this.#close(key);
    const failures = (isSame ? circuit.failures : 0) + 1;
    const opens = cause !== 'failures' || failures >= FAILURES;
    this.#circuits.set(key, { endpoint, cause, failures, open_until: opens ? now + openFor(cause) : null });
    if (opens && !(isSame && circuit.open_until !== null)) this.#observer.circuit(endpoint, cause, true);
  }

  /** Closes all circuits: keys and addresses may have changed. */
  reset(): void {
    for (const key of [...this.#circuits.keys()]) this.#close(key);
  }

  #close(key: string): void {
    const circuit = this.#circuits.get(key);
    this.#circuits.delete(key);
    if (circuit !== undefined && circuit.open_until !== null) this.#observer.circuit(circuit.endpoint, circuit.cause, false);
  }
}

function openFor(cause: CircuitCause): number {
  return cause === 'failures' ? OPEN_MS : REFUSED_MS;
}

function keyOf({ provider, model, pattern }: Named): string {
  return JSON.stringify([provider, pattern ?? model]);
}
