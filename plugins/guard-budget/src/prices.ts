import type { TokenUsage } from '@svc/sdk';
import type { Options, Price } from './options.ts';

type Tokens = Pick<TokenUsage, 'input_tokens' | 'output_tokens' | 'cached_input_tokens'>;

/** More than a counter can hold exactly. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);
/** A price in USD per million tokens equals micro-dollars per token. In millionths of a micro-dollar it is an integer. */
const PARTS = 1_000_000;

const parts = (price: number): bigint => BigInt(Math.round(price * PARTS));

/** Prices of models. */
export class Prices {
  readonly #prices: ReadonlyMap<string, Price>;

  constructor(prices: Options['prices']) {
    this.#prices = new Map(Object.entries(prices));
  }

  has(model: string): boolean {
    return this.#prices.has(model);
  }

  /** Micro-dollars, rounded up. A model without a price (removed while a run was paused) costs as much as the most expensive one. */
  costOf(model: string, tokens: Tokens): number {
    const price = this.#prices.get(model);
    if (price !== undefined) return cost(price, tokens);
    return Math.max(0, ...[...this.#prices.values()].map((other) => cost(other, tokens)));
  }
}

function cost(
  { input, output, cached_input = input }: Price,
  { input_tokens, output_tokens, cached_input_tokens }: Tokens,
): number {
  const cached = Math.min(cached_input_tokens, input_tokens);
  const sum =
    BigInt(input_tokens - cached) * parts(input) + BigInt(cached) * parts(cached_input) + BigInt(output_tokens) * parts(output);
  const micro = (sum + BigInt(PARTS - 1)) / BigInt(PARTS);
  return Number(micro > MOST ? MOST : micro);
}
