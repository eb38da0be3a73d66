/** Longer figures could name somebody, and stand in evidence and metrics: no answer has so many tokens. */
const MAX_TOKENS = 99_999_999;

/** Whether it is a number of tokens. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
