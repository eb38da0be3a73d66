import type { RunOutcome } from '@svc/kernel';
import type { ChatCompletion, ChatCompletionChunk, ChatMessage } from '@svc/kernel/contracts';

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
  for (const { message, ...choice } of completion.choices) {
    const last = { ...choice, delta: {} };
    if (stop !== null) frames.push({ ...base, choices: [{ ...last, delta: deltaOf(message) }], svc_event: stop.kind });
    else
      frames.push(
        { ...base, choices: [{ ...choice, delta: deltaOf(message), finish_reason: null }] },
        { ...base, choices: [last] },
      );
  }
  if (include_usage && completion.usage !== undefined && stop === null)
    frames.push({ ...base, choices: [], usage: completion.usage });
  const end = frames.pop() ?? { ...base, choices: [] };
  return [...frames, { ...end, ...receipts }]
    .map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    .join('')
    .concat('data: [DONE]\n\n');
}

/** A whole message as one delta: every field, tool calls numbered as pieces of a stream are. */
function deltaOf({ content, tool_calls, ...message }: ChatMessage): ChatCompletionChunk['choices'][number]['delta'] {
  return {
    ...message,
    content: typeof content === 'string' ? content : null,
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call, index) => ({ index, ...call })) }),
  };
}
