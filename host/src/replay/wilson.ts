/** The 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;

/** The share of runs in which something happens. All null: there are no runs. */
export interface Share {
  readonly runs: number;
  readonly of: number;
  readonly rate: number | null;
  /** The bounds of the 95 % interval. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * A share with its score interval at 95 %: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927). Brown,
 * Cai and DasGupta, "Interval Estimation for a Binomial Proportion" (2001), recommend it also for small samples and rare events.
 */
export function shareOf(runs: number, of: number): Share {
  if (of === 0) return { runs, of, rate: null, low: null, high: null };
  const rate = runs / of;
  const square = Z * Z;
  const centre = rate + square / (2 * of);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / of + square / (4 * of * of));
  const scale = 1 + square / of;
  // At both ends, the bound is exact, and rounding must not leave the range.
  const low = runs === 0 ? 0 : rounded((centre - spread) / scale);
  const high = runs === of ? 1 : rounded((centre + spread) / scale);
  return { runs, of, rate: rounded(rate), low, high };
}

/** Six digits, so that a report does not depend on the last bit. */
function rounded(part: number): number {
  return Math.round(part * 1e6) / 1e6;
}
