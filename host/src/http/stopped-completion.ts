import type { RunOutcome } from '@svc/kernel';
import type { ChatCompletion } from '@svc/kernel/contracts';

/** The completion of a run that was blocked, paused or denied: one sentence for people instead of an answer. */
export function stoppedCompletion(outcome: RunOutcome): ChatCompletion & { svc_run_id: string; svc_retry_at?: string } {
  const { row, events, stop } = outcome;
  const retry_at = stop?.hint?.retry_at;
  const prompt_tokens = sumUsage(events, 'input_tokens');
  const completion_tokens = sumUsage(events, 'output_tokens');
  return {
    id: `chatcmpl-${row.run_id}`,
    object: 'chat.completion',
    created: Math.floor(Date.parse(row.created_at) / 1000),
    model: row.route,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: sentence(outcome), refusal: null },
        logprobs: null,
        finish_reason: 'content_filter',
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    svc_run_id: row.run_id,
    ...(retry_at === undefined ? {} : { svc_retry_at: new Date(retry_at).toISOString() }),
  };
}

function sentence({ row, stop }: RunOutcome): string {
  if (stop === null) return `This request ended without an answer (status ${row.status}, run ${row.run_id}).`;
  const why = `the guard "${stop.node}" (${stop.code})`;
  switch (stop.kind) {
    case 'blocked':
      return stop.hint === undefined
        ? `This request was blocked by ${why}. Change it and ask again, or give the operator run ${row.run_id}.`
        : `This request was blocked by ${why}. ${stop.hint.text} Its run is ${row.run_id}.`;
    case 'paused': {
      const hint = stop.hint === undefined ? '' : ` ${stop.hint.text}`;
      const who = row.approvers.length === 0 ? '' : ` by ${row.approvers.join(' or ')}`;
      return `This request waits for approval${who}, asked for by ${why}.${hint} Its answer will be at /v1/runs/${row.run_id}/response.`;
    }
    case 'denied':
      return `This request was denied after review, asked for by ${why}. Its run is ${row.run_id}.`;
  }
}

/** Tokens that were used before the stop: a blocked answer was paid for. */
function sumUsage(events: RunOutcome['events'], field: 'input_tokens' | 'output_tokens'): number {
  return events.reduce((sum, { data }) => {
    const usage = data.usage;
    if (typeof usage !== 'object' || usage === null || !(field in usage)) return sum;
    return sum + Number((usage as Record<string, unknown>)[field]);
  }, 0);
}
