import type { Clock, Endpoint } from '@svc/contracts';
import type { Observer } from '../observing/observer.ts';
import type { CallEnd } from './retries.ts';

/** So many failures on end open a circuit. */
const FAILURES = 5;

/** How long it stays open, in milliseconds; then one run at a time tries the endpoint again. */
const OPEN_MS = 10_000;

interface Circuit {
  failures: number;
  /** Milliseconds of the monotonic clock; 0: closed. */
  open_until: number;
}

/**
 * Circuit breakers of this process, one for each endpoint: whether its last calls all failed. An endpoint whose circuit is open is passed over
 * while another is left to try, so that runs do not wait for what is known to fail.
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
  isOpen(endpoint: Endpoint): boolean {
    const circuit = this.#circuits.get(keyOf(endpoint));
    if (circuit === undefined || circuit.open_until === 0) return false;
    const now = this.#clock.monotonic();
    if (now < circuit.open_until) return true;
    circuit.open_until = now + OPEN_MS;
    return false;
  }

  /** How a call ended. What a guard stopped says nothing of the endpoint, and neither does what is wrong with a request or a key. */
  ended(endpoint: Endpoint, end: CallEnd): void {
    if (end.kind === 'stopped') return;
    const failure = end.kind === 'failed' ? end.failure.kind : null;
    const key = keyOf(endpoint);
    const circuit = this.#circuits.get(key);
    if (failure === null || failure === 'invalid_request') {
      if (circuit?.open_until) this.#observer.circuit(endpoint, false);
      this.#circuits.delete(key);
      return;
    }
    if (failure === 'aborted' || failure === 'configuration') return;
    const failures = (circuit?.failures ?? 0) + 1;
    const opens = failures >= FAILURES;
    this.#circuits.set(key, { failures, open_until: opens ? this.#clock.monotonic() + OPEN_MS : 0 });
    if (opens && !circuit?.open_until) this.#observer.circuit(endpoint, true);
  }
}

function keyOf({ provider, model }: Endpoint): string {
  return JSON.stringify([provider, model]);
}
