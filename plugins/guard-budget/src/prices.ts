import type { TokenUsage } from '@svc/sdk';
import { configuredPrice, costOf, type Endpoint, type Price, type Rates, ratesNamed } from '@svc/sdk/guard';
import type { Options } from './options.ts';

/** Prices of models: those of this pack, then those of the gateway. */
export class Prices {
  readonly #own: ReadonlyMap<string, Rates>;
  /** What a call of a model without a price costs. A model may lose its price while a run is paused. */
  readonly #fallback: readonly Price[];

  constructor({ prices, unpriced }: Pick<Options, 'prices' | 'unpriced'>) {
    this.#own = new Map(Object.entries(prices));
    this.#fallback = unpriced === 'allow' ? [] : [...this.#own.values()].map(configuredPrice);
  }

  /** Rates of this pack; null: it has none. */
  own(endpoint: Endpoint): Rates | null {
    return ratesNamed(this.#own, endpoint);
  }

  has(endpoint: Endpoint): boolean {
    return this.#of(endpoint) !== null;
  }

  /** Micro-dollars, rounded up. Without a price it costs as much as at the most expensive model of this pack. */
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
