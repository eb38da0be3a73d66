import type { Store } from '@svc/contracts';
import type { ContentKeys } from '@svc/runtime/content';
import type { OidcIssuer, SessionLimits } from '../config/index.ts';
import type { TokenIssuers } from '../http/auth.ts';
import type { Principal } from '../http/key-ring.ts';
import type { SignIn } from '../http/sign-in.ts';
import { Attempts } from './attempts.ts';
import type { IssuerDeps } from './issuer.ts';
import type { Issuers } from './issuers.ts';

interface Deps extends IssuerDeps {
  readonly store: Promise<Store>;
  readonly keys: Promise<ContentKeys>;
}

/** The issuers of the active configuration. Loaded on demand, because their libraries cost memory and time. */
export class IssuersInForce {
  readonly #deps: Deps;
  readonly #attempts: Attempts;
  #current: Issuers | null = null;
  #sign_in: SignIn | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#attempts = new Attempts(deps.clock);
  }

  /** Null: only keys are accepted. */
  get current(): TokenIssuers | null {
    return this.#current;
  }

  /** Null: no issuer has a client for the pages. */
  get sign_in(): SignIn | null {
    return this.#sign_in;
  }

  /** As {@link Issuers.stillKnows}. */
  stillKnows(caller: Principal): boolean | Promise<boolean> {
    return this.#current?.stillKnows(caller) ?? false;
  }

  /**
   * Prepares other issuers.
   * @returns a function that applies them at once, without waiting for the issuers: the gateway also serves without them
   */
  async prepare(settings: readonly OidcIssuer[], session: SessionLimits): Promise<() => void> {
    const former = this.#current;
    const next = settings.length === 0 ? null : new (await import('./issuers.ts')).Issuers(settings, this.#deps, former);
    const sign_in = next === null ? null : await this.#signInWith(next, session);
    return () => {
      this.#current = next;
      this.#sign_in = sign_in;
      void next?.warm();
    };
  }

  async #signInWith({ forPages }: Issuers, session: SessionLimits): Promise<SignIn | null> {
    if (forPages.size === 0) return null;
    const { PageSignIn } = await import('./page-sign-in.ts');
    const { Sessions } = await import('./sessions.ts');
    const { store, clock, logger } = this.#deps;
    const keys = await this.#deps.keys;
    const sessions = new Sessions(store, clock, session, keys);
    return new PageSignIn(forPages, { sessions, attempts: this.#attempts, keys, clock, logger });
  }
}
