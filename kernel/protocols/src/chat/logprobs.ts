import { type AnswerBody, isObject } from '@svc/contracts';

/**
 * Drops token log probabilities from an answer or chunk: guards cannot read text token by token. `logprobs` of any other shape stay and are treated
 * as text.
 */
export function withoutLogprobs<T extends AnswerBody>(answer: T): { readonly answer: T; readonly left_out: readonly string[] } {
  const { choices } = answer;
  if (!Array.isArray(choices) || !choices.some(has)) return { answer, left_out: [] };
  const without = choices.map((choice: unknown) => (has(choice) ? { ...choice, logprobs: null } : choice));
  return { answer: { ...answer, choices: without }, left_out: ['choices.logprobs'] };
}

function has(choice: unknown): choice is { logprobs: object } {
  return isObject(choice) && isObject(choice.logprobs) && Object.values(choice.logprobs).every(areTokens);
}

function areTokens(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.every(isObject));
}
