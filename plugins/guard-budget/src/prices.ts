import type { TokenUsage } from '@svc/sdk';
import { configuredPrice, costOf, type Endpoint, type Price, type Rates, ratesNamed } from '@svc/sdk/guard';
import type { Options } from './options.ts';

/** Prices of models: this pack's own and, for other models, the gateway's. */
export class Prices {
  readonly #own: ReadonlyMap<string, Rates>;
  /** The prices for a call to a model that has no price. A model may lose its price while a run is paused. */
  readonly #fallback: readonly Price[];

  constructor({ prices, unpriced }: Pick<Options, 'prices' | 'unpriced'>) {
    this.#own = new Map(Object.entries(prices));
    this.#fallback = unpriced === 'allow' ? [] : [...this.#own.values()].map(configuredPrice);
  }

  /** This pack's rates for a model, or null. */
  own(endpoint: Endpoint): Rates | null {
    return ratesNamed(this.#own, endpoint);
  }

  has(endpoint: Endpoint): boolean {
    return this.#of(endpoint) !== null;
  }

  /** The cost of a call in micro-dollars, rounded up. A model without a price costs as much as the most expensive model of this pack. */
  costOf(endpoint: Endpoint, usage: TokenUsage, at: number): number {
    const price = this.#of(endpoint);
    if (price !== null) return costOf(price, usage, at);
    return Math.max(0, ...this.#fallback.map((other) => costOf(other, usage, at)));
  }

  #of(endpoint: Endpoint): Price | null {
    const own = this.own(endpoint);
    return own === null ? (endpoint.price ?? null) : configuredPrice(own);
  }
}
