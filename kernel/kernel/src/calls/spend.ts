import { type Cost, costOf, type Endpoint, type RunRow, type Spend, type TokenUsage } from '@svc/contracts';

/** The usage of an attempt, with the model's price at that time. */
export function spendOf({ provider, model, region, price }: Endpoint, usage: TokenUsage, at: number): Spend {
  return { endpoint: { model, ...(price !== undefined && { price }), provider, region }, usage, at };
}

/** The cost of an attempt, as a field of its event. Absent if the model has no price. */
export function priceField(spend: Spend | null) {
  const price = spend?.endpoint.price;
  if (spend === null || price === undefined) return {};
  const { source, version } = price;
  return { price: { micro_usd: costOf(price, spend.usage, spend.at), source, ...(version !== undefined && { version }) } };
}

/** The usage of all attempts, as a field of the run's row; absent if there were none. */
export function usageField(spend: readonly Spend[], cost: Cost): Pick<RunRow, 'usage'> {
  if (spend.length === 0 && cost === 'complete') return {};
  const last = spend.at(-1);
  const ended = last === undefined ? {} : { model: last.endpoint.model, at: last.at };
  const usage = { input_tokens: 0, output_tokens: 0, micro_usd: microUsd(spend), cost, ...ended };
  for (const { usage: used } of spend) {
    usage.input_tokens += used.input_tokens;
    usage.output_tokens += used.output_tokens;
  }
  return { usage };
}

function microUsd(spend: readonly Spend[]): number | null {
  let sum = 0;
  for (const { endpoint, usage, at } of spend) {
    if (endpoint.price === undefined) return null;
    sum += costOf(endpoint.price, usage, at);
  }
  return spend.length === 0 ? null : sum;
}
