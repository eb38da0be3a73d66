import type { ChatCompletion } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';

/**
 * The completion of a run that was blocked, paused or denied: one sentence for people instead of an answer.
 * @param says the field that holds it: where the caller asked for JSON, a `refusal` does not break its parser
 */
export function stoppedCompletion(
  outcome: RunOutcome,
  says: StopField,
): ChatCompletion & { svc_run_id: string; svc_event?: StopKind; svc_retry_at?: string } {
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
        message: { role: 'assistant', content: null, refusal: null, [says]: stopSentence(outcome) },
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

export type StopField = 'content' | 'refusal';

/** What people read in place of an answer: who stopped the run and why, and what to do next. */
export function stopSentence({ row, stop }: RunOutcome): string {
  if (stop === null) return `This request ended without an answer (status ${row.status}, run ${row.run_id}).`;
  const { kind, node, code, hint } = stop;
  const guard = `the guard "${node}"`;
  const [what, it] = stop.stage === 'egress' ? ['The answer to this request', 'the request'] : ['This request', 'it'];
  switch (kind) {
    case 'blocked':
      if (code === 'SVC-NODE-001')
        return `${what} was blocked because ${guard} failed (${code}). Ask again later, or give the operator run ${row.run_id}.`;
      return hint === undefined
        ? `${what} was blocked by ${guard} (${code}). Change ${it} and ask again, or give the operator run ${row.run_id}.`
        : `${what} was blocked by ${guard} (${code}). ${hint.text} Its run is ${row.run_id}.`;
    case 'paused': {
      const who = row.approvers.length === 0 ? '' : ` by ${row.approvers.join(' or ')}`;
      const told = hint === undefined ? '' : ` ${hint.text}`;
      const why = code === 'SVC-NODE-001' ? `because ${guard} failed (${code}).` : `as ${guard} (${code}) asked.`;
      const there = `/v1/runs/${row.run_id}/response`;
      return `${what} waits for approval${who}, ${why}${told} Once approved, the answer is at ${there}.`;
    }
    case 'denied':
      return row.approver === null
        ? `${what} waited too long for the review that ${guard} (${code}) had asked for, and was denied. Its run is ${row.run_id}; ask again, and an approver to decide.`
        : `${what} was denied by ${row.approver.principal_id}; ${guard} (${code}) had asked for a review. Change the request, or ask about run ${row.run_id}.`;
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
