import { ProviderError, type SvcError } from '@svc/contracts';
import { callerError } from '../calls/caller-error.ts';
import { OperatorStop } from '../calls/operator-stop.ts';
import { NotCalled } from '../calls/provider-failure.ts';

/** Why a run stops at an endpoint. `blocked` and `paused`: a guard refuses this endpoint, but may allow another. */
interface Stop {
  readonly kind: string;
}

/** The results of a run's endpoints so far. */
export class TriedEndpoints<S extends Stop> {
  #refusal: S | null = null;
  #failure: ProviderError | null = null;

  /** Whether an endpoint was tried, or skipped because its circuit is open. */
  get hasFailed(): boolean {
    return this.#failure !== null;
  }

  /** Whether the run may try the next endpoint after this stop. */
  mayTryNext(stop: S | null): boolean {
    if (stop?.kind === 'failed') return this.hasFailed;
    if (stop?.kind !== 'blocked' && stop?.kind !== 'paused') return false;
    // A refusal that an approver can lift takes precedence over one that nobody can lift.
    if (this.#refusal === null || (this.#refusal.kind === 'blocked' && stop.kind === 'paused')) this.#refusal = stop;
    return true;
  }

  /**
   * The caller gets the latest failure. Failures of real calls take precedence over skipped endpoints, and temporary failures over those
   * that the operator must fix.
   */
  failed(failure: ProviderError): void {
    const isLess = failure instanceof NotCalled || failure.kind === 'configuration';
    if (this.#failure === null || this.#failure instanceof NotCalled || !isLess) this.#failure = failure;
  }

  /** Why the run stops when no endpoints are left. */
  stop(): S | { readonly kind: 'failed'; readonly error: SvcError; readonly stage: 'execute' } {
    if (this.#failure === null && this.#refusal !== null) return this.#refusal;
    const failure = this.#failure ?? new ProviderError('configuration');
    const error = failure.cause instanceof OperatorStop ? failure.cause.error : callerError(failure);
    return { kind: 'failed', error, stage: 'execute' };
  }
}
