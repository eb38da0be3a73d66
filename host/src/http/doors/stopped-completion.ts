import type { ChatCompletion, TokenUsage } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { StopForm } from './stop-form.ts';
import { stopText } from './stop-text.ts';

/** The completion of a run that was blocked, paused or denied. It has one text for people instead of an answer. */
export function stoppedCompletion(
  outcome: RunOutcome,
  { field, origin }: StopForm,
): ChatCompletion & { svc_run_id: string; svc_event?: StopKind; svc_retry_at?: string } {
  const { row, stop } = outcome;
  const retry_at = stop?.hint?.retry_at;
  const { input_tokens: prompt_tokens, output_tokens: completion_tokens } = usedBefore(outcome);
  return {
    id: `chatcmpl-${row.run_id}`,
    object: 'chat.completion',
    created: Math.floor(Date.parse(row.created_at) / 1000),
    model: row.route,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, [field]: stopText(outcome, origin) },
        logprobs: null,
        finish_reason: 'content_filter',
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    svc_run_id: row.run_id,
    ...(stop === null ? {} : { svc_event: stop.kind }),
    ...(retry_at === undefined ? {} : { svc_retry_at: new Date(retry_at).toISOString() }),
  };
}

type StopKind = NonNullable<RunOutcome['stop']>['kind'];

/** Tokens that were used before the stop, because a blocked answer was paid for. */
export function usedBefore({ events }: Pick<RunOutcome, 'events'>): TokenUsage {
  const [input_tokens, output_tokens] = [sumUsage(events, 'input_tokens'), sumUsage(events, 'output_tokens')];
  return { input_tokens, output_tokens, cached_input_tokens: 0, estimated: false };
}

function sumUsage(events: RunOutcome['events'], field: 'input_tokens' | 'output_tokens'): number {
  return events.reduce((sum, { data }) => {
    const usage = data.usage;
    if (typeof usage !== 'object' || usage === null || !(field in usage)) return sum;
    return sum + Number((usage as Record<string, unknown>)[field]);
  }, 0);
}
