/** The percentile `p` (0 to 1) of ascending values; NaN if there are none. */
export function percentile(ascending: ArrayLike<number>, p: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * p))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ascending.length / 2);
  const upper = ascending[middle] ?? Number.NaN;
  return ascending.length % 2 === 1 ? upper : ((ascending[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** p50 and p99 in milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

export function timesOf(millis: readonly number[]): Times {
  const ascending = Float64Array.from(millis).sort();
  return { p50: percentile(ascending, 0.5), p99: percentile(ascending, 0.99) };
}
