import type { Clock, Endpoint, ProviderError } from '@svc/contracts';
import { UndeclaredFailure } from '../calls/provider-failure.ts';
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

  /**
   * How the calls of one run ended. Only what no caller brings about counts: an endpoint that is away, takes too long, or answers with a page. A
   * limit on requests says by itself when to come again. What a provider should not have thrown may come of the request.
   */
  ended(endpoint: Endpoint, end: CallEnd): void {
    const key = keyOf(endpoint);
    const circuit = this.#circuits.get(key);
    if (end.kind === 'answered') {
      if (circuit?.open_until) this.#observer.circuit(endpoint, false);
      this.#circuits.delete(key);
      return;
    }
    if (end.kind !== 'failed' || !counts(end.failure)) {
      // It says nothing of the endpoint: the next run may try it.
      if (circuit?.open_until) circuit.open_until = this.#clock.monotonic();
      return;
    }
    const failures = (circuit?.failures ?? 0) + 1;
    const opens = failures >= FAILURES;
    this.#circuits.set(key, { failures, open_until: opens ? this.#clock.monotonic() + OPEN_MS : 0 });
    if (opens && !circuit?.open_until) this.#observer.circuit(endpoint, true);
  }
}

function counts(failure: ProviderError): boolean {
  if (failure instanceof UndeclaredFailure) return false;
  const { kind, cost } = failure;
  return kind === 'unavailable' || kind === 'timeout' || (kind === 'malformed' && cost === 'none');
}

function keyOf({ provider, model }: Endpoint): string {
  return JSON.stringify([provider, model]);
}
