import { type AnswerFrame, isObject } from '@svc/contracts';
import { withoutLogprobs } from '../logprobs.ts';

/** A chunk without what says the text so far again beside its pieces: some upstreams put the message of a whole answer into each chunk. */
export function withoutRepeats(frame: AnswerFrame): { readonly answer: AnswerFrame; readonly left_out: readonly string[] } {
  const { answer, left_out } = withoutLogprobs(frame);
  const { choices } = answer;
  if (!Array.isArray(choices) || !choices.some(says)) return { answer, left_out };
  const without = choices.map((choice: unknown) => (says(choice) ? withoutMessage(choice) : choice));
  return { answer: { ...answer, choices: without }, left_out: [...left_out, 'choices.message'] };
}

function says(choice: unknown): choice is { message: unknown } {
  return isObject(choice) && choice.message !== undefined;
}

function withoutMessage({ message: _, ...choice }: { readonly message: unknown }): object {
  return choice;
}
