import type { RunOutcome } from '@svc/kernel';
import type { ChatChoice, ChatCompletion, ChatCompletionChunk } from '@svc/kernel/contracts';

/**
 * A judged, whole answer as the frames of a stream. A run that was stopped is a single frame with `svc_event`.
 * The last frame before `[DONE]` carries the receipts.
 */
export function chunksOf(completion: ChatCompletion, outcome: RunOutcome, include_usage: boolean): string {
  const { id, created, model } = completion;
  const base = { id, object: 'chat.completion.chunk', created, model } as const;
  const { row, stop } = outcome;
  const receipts = {
    svc_run_id: row.run_id,
    ...(row.evidence === null ? {} : { svc_evidence: `${row.evidence.seq} ${row.evidence.hash}` }),
  };
  const frames: ChatCompletionChunk[] = [];
  for (const choice of completion.choices) {
    const { finish_reason, index } = choice;
    const last = { index, delta: {}, finish_reason };
    if (stop !== null) frames.push({ ...base, choices: [{ ...last, delta: deltaOf(choice) }], svc_event: stop.kind });
    else
      frames.push({ ...base, choices: [{ index, delta: deltaOf(choice), finish_reason: null }] }, { ...base, choices: [last] });
  }
  if (include_usage && completion.usage !== undefined && stop === null)
    frames.push({ ...base, choices: [], usage: completion.usage });
  const end = frames.pop() ?? { ...base, choices: [] };
  return [...frames, { ...end, ...receipts }]
    .map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    .join('')
    .concat('data: [DONE]\n\n');
}

function deltaOf({ message }: ChatChoice): ChatCompletionChunk['choices'][number]['delta'] {
  const { role, content, refusal, tool_calls } = message;
  return {
    role,
    content: typeof content === 'string' ? content : null,
    ...(refusal == null ? {} : { refusal }),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }),
  };
}
