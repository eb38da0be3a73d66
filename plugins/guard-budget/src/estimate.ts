import type { GuardContext, Segment } from '@svc/sdk';
import type { Endpoint } from '@svc/sdk/guard';
import type { Unit } from './options.ts';
import type { Prices } from './prices.ts';

/** Estimated cost of a run, by unit: requests, calls, tokens, micro-dollars. */
export type Amounts = Readonly<Record<Unit, number>>;

/** An estimate whose dollars depend on the endpoint. */
export interface Estimate extends Omit<Amounts, 'usd'> {
  readonly usdAt: (endpoint: Endpoint) => number;
}

/**
 * UTF-8 bytes per token in an estimate. Measured with o200k_base (GPT-4o and later) on 774 English sentences full of names and numbers: 1 % have less
 * than 1.92 bytes per token, and half have more than 3.6. Source code and JSON have 2.8 to 5; Chinese, Japanese, Russian and Arabic have 4 and more.
 * Base64 has 1.5.
 */
const BYTES_A_TOKEN = 2;
/** Overhead that a chat format has for each text: role, separators, field names. */
const TOKENS_A_TEXT = 8;
/** Maximum amount. Sums of a few such amounts are still exact integers. */
const MAX_AMOUNT = 2 ** 48;

/** Deliberately high. Most requests use less, and the difference is released when the run ends. */
export function inputTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN) + TOKENS_A_TEXT, 0);
}

export function estimate(
  segments: readonly Segment[],
  { choices, max_output_tokens }: Pick<GuardContext, 'choices' | 'max_output_tokens'>,
  default_output_tokens: number,
  prices: Prices,
  now: number,
): Estimate {
  const input_tokens = inputTokens(segments);
  const each = isCount(max_output_tokens) ? max_output_tokens : default_output_tokens;
  const output_tokens = Math.min(MAX_AMOUNT, choices * Math.ceil(each));
  const usage = { input_tokens, output_tokens, cached_input_tokens: 0, estimated: true };
  return {
    requests: 1,
    calls: 1,
    tokens: input_tokens + output_tokens,
    usdAt: (endpoint) => Math.min(MAX_AMOUNT, Math.max(0, prices.costOf(endpoint, usage, now))),
  };
}

function isCount(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value >= 0;
}
