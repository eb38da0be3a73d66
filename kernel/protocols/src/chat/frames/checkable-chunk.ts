import { type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { says } from '../../common/json-shapes.ts';
import { withoutLogprobs } from '../logprobs.ts';

/**
 * Drops repeated text that guards cannot follow: token log probabilities, and the whole message so far, which Perplexity sends with each delta. They
 * would reveal text that a guard still holds back.
 */
export function checkableChunk(frame: AnswerFrame): { readonly answer: AnswerFrame; readonly left_out: readonly string[] } {
  const { answer, left_out } = withoutLogprobs(frame);
  const { choices } = answer;
  if (!Array.isArray(choices) || !choices.some(repeats)) return { answer, left_out };
  const without = choices.map((choice: unknown) => (repeats(choice) ? withoutMessage(choice) : choice));
  return { answer: { ...answer, choices: without }, left_out: [...left_out, 'choices.message'] };
}

function repeats(choice: unknown): choice is JsonObject {
  return isObject(choice) && isObject(choice.message) && says(choice.delta);
}

function withoutMessage({ message: _, ...choice }: JsonObject): JsonObject {
  return choice;
}
