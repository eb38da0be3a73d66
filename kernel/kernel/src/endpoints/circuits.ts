import type { Clock, Endpoint } from '@svc/contracts';
import type { CircuitCause, Observer } from '../observing/observer.ts';
import { circuitCause } from './circuit-cause.ts';
import type { CallEnd } from './retries.ts';

/** So many failures on end open a circuit; of refusals one does. */
const FAILURES = 5;

/** `pattern`: the caller named the model. */
type Named = Endpoint & { readonly pattern?: string };

/** How long it stays open, in milliseconds; then one run at a time tries the endpoint again. */
const OPEN_MS = 10_000;

/** The same after a refusal, which somebody must mend. */
const REFUSED_MS = 60_000;

interface Circuit {
  readonly endpoint: Endpoint;
  readonly cause: CircuitCause;
  readonly failures: number;
  /** Milliseconds of the monotonic clock; null: closed. */
  open_until: number | null;
}

/**
 * Circuit breakers of this process, one for each endpoint: whether its last calls all failed, or its last was refused. An endpoint whose circuit
 * is open is passed over while another is left to try, so that runs do not wait for what is known to fail.
 */
export class Circuits {
  readonly #clock: Clock;
  readonly #observer: Pick<Observer, 'circuit'>;
  readonly #circuits = new Map<string, Circuit>();

  constructor(clock: Clock, observer: Pick<Observer, 'circuit'>) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Whether the endpoint is to be passed over. Its time over, whoever asks first is to try it. */
  isOpen(endpoint: Named): boolean {
    const circuit = this.#circuits.get(keyOf(endpoint));
    if (circuit === undefined || circuit.open_until === null) return false;
    const now = this.#clock.monotonic();
    if (now < circuit.open_until) return true;
    circuit.open_until = now + openFor(circuit.cause);
    return false;
  }

  /** How the calls of one run ended. Only what says something of the endpoint counts, see {@link circuitCause}. */
  ended(asked: Named, end: CallEnd): void {
    if (end.kind === 'answered') {
      if (this.#circuits.size > 0) this.#close(keyOf(asked));
      return;
    }
    const { provider, model, region, pattern } = asked;
    // Callers may name any number of models.
    const endpoint = { provider, model: pattern ?? model, region };
    const key = keyOf(endpoint);
    const circuit = this.#circuits.get(key);
    const found = end.kind === 'failed' ? circuitCause(end.failure) : null;
    // A model that is not there, or not for this account, says nothing of the others.
    const cause = pattern !== undefined && (found === 'not_found' || found === 'access') ? null : found;
    const now = this.#clock.monotonic();
    if (cause === null) {
      // The next run may try it.
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

  /** Closes all: what refused or failed may have another key or address now. */
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
