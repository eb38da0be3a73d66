/** The claim of a request that may pause or is about to. Other requests count the claim and can wait for it. */
export class PauseClaim {
  readonly principal_id: string;
  readonly #decided = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #leave: () => void;

  constructor(principal_id: string, leave: () => void) {
    this.principal_id = principal_id;
    this.#leave = leave;
  }

  /** Resolves once it is known whether the request pauses. */
  get decided(): Promise<void> {
    return this.#decided.promise;
  }

  /** Resolves once the pause is stored, or the request is known not to pause. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  decide(): void {
    this.#decided.resolve();
  }

  /** May be called more than once. */
  end(): void {
    this.#leave();
    this.#decided.resolve();
    this.#ended.resolve();
  }
}
