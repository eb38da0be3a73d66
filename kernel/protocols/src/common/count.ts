/** No answer has more tokens. A longer number could identify a person, and token counts appear in evidence and metrics. */
const MAX_TOKENS = 99_999_999;

/** Whether a value is a plausible token count. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_TOKENS;
}
