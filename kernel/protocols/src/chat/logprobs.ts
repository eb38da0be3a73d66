import { type AnswerBody, isObject } from '@svc/contracts';

/** An answer, or a chunk of one, without what repeats its text token by token, which no guard can read. */
export function withoutLogprobs<T extends AnswerBody>(answer: T): { readonly answer: T; readonly left_out: readonly string[] } {
  const { choices } = answer;
  if (!Array.isArray(choices) || !choices.some(has)) return { answer, left_out: [] };
  const without = choices.map((choice: unknown) => (has(choice) ? { ...choice, logprobs: null } : choice));
  return { answer: { ...answer, choices: without }, left_out: ['choices.logprobs'] };
}

function has(choice: unknown): choice is { logprobs: unknown } {
  return isObject(choice) && choice.logprobs != null;
}
