import type { AnswerFrame, ChatCompletionChunk } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { CHAT, deltaOf } from '@svc/protocols';
import type { StopForm } from './stop-form.ts';
import { stopText } from './stop-text.ts';
import { stoppedCompletion, usedBefore } from './stopped-completion.ts';

/**
 * The last chunks of a settled run: the rest of an answer that was streamed live, otherwise the whole answer.
 * @param ending has taken the chunks that were sent
 */
export function lastChunks(
  outcome: RunOutcome,
  form: StopForm,
  ending: ReturnType<typeof CHAT.frames.ending>,
): Iterable<AnswerFrame> {
  const { tail, completion, stop, row } = outcome;
  if (tail === null) return completion === null ? [stopChunk(outcome, form)] : CHAT.frames.framesOf(completion);
  if (stop === null || form.field === 'error') return tail;
  const identity = { id: row.run_id, created: Math.floor(Date.parse(row.created_at) / 1000), model: row.route };
  const chunks = [...ending.frames(stopText(outcome, form.origin), form.field, usedBefore(outcome))];
  return chunks.map((chunk) => ({ ...CHAT.withHead(chunk, identity), ...tail.at(-1) }));
}

/** A run that was stopped before any of its answer was sent gets a single chunk. */
function stopChunk(outcome: RunOutcome, form: StopForm): ChatCompletionChunk {
  const { choices, object: _, svc_run_id: __, ...fields } = stoppedCompletion(outcome, form);
  const said = choices.map(({ message, ...choice }) => ({ ...choice, delta: deltaOf(message) }));
  return { ...fields, object: 'chat.completion.chunk', choices: said };
}
