import type { OidcIssuer } from '../config/index.ts';
import type { TokenIssuers } from '../http/auth.ts';
import type { IssuerDeps } from './issuer.ts';
import type { Issuers } from './issuers.ts';

/** The issuers of the configuration in force. Loaded on demand: their libraries cost memory and time. */
export class IssuersInForce {
  readonly #deps: IssuerDeps;
  #current: Issuers | null = null;

  constructor(deps: IssuerDeps) {
    this.#deps = deps;
  }

  /** Null: only keys are accepted. */
  get current(): TokenIssuers | null {
    return this.#current;
  }

  /** Makes others ready. @returns puts them in force at once, and does not wait for them: the gateway serves without an issuer */
  async prepare(settings: readonly OidcIssuer[]): Promise<() => void> {
    const former = this.#current;
    const next = settings.length === 0 ? null : new (await import('./issuers.ts')).Issuers(settings, this.#deps, former);
    return () => {
      this.#current = next;
      void next?.warm();
    };
  }
}
