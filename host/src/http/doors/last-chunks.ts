import type { ChatCompletion, ChatCompletionChunk, ChatMessage } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { StopForm } from './stop-form.ts';
import { stopText } from './stop-text.ts';
import { stoppedCompletion } from './stopped-completion.ts';
import { unsupportedBy } from './unsupported-by.ts';

/** The last chunks of a run that is settled: what is left of an answer that has left as it came, else all of it. */
export function lastChunks(outcome: RunOutcome, form: StopForm, include_usage: boolean): readonly ChatCompletionChunk[] {
  const { tail, completion, stop } = outcome;
  if (tail === null)
    return chunksOf((completion as ChatCompletion | null) ?? stoppedCompletion(outcome, form), outcome, include_usage);
  const chunks = tail as readonly ChatCompletionChunk[];
  return stop === null ? chunks : chunks.map((chunk) => withStopText(chunk, outcome, form));
}

/** Of a run that has ended, for the very last frame of its stream. */
export function receiptsOf(outcome: Pick<RunOutcome, 'row' | 'completion' | 'events'>): Record<string, unknown> {
  const { row, completion } = outcome;
  const unsupported = unsupportedBy(outcome);
  return {
    svc_run_id: row.run_id,
    ...(row.evidence === null ? {} : { svc_evidence: `${row.evidence.seq} ${row.evidence.hash}` }),
    ...(completion?.svc_left_out === undefined ? {} : { svc_left_out: completion.svc_left_out }),
    ...(unsupported.length === 0 ? {} : { svc_unsupported: unsupported }),
  };
}

/** An answer that a guard ended says why, as its last piece; a paragraph of its own where text has left before it. */
function withStopText(chunk: ChatCompletionChunk, outcome: RunOutcome, { field, origin }: StopForm): ChatCompletionChunk {
  const text = stopText(outcome, origin);
  const choices = chunk.choices.map(({ delta: { content, ...delta }, ...choice }) => {
    const isNext = field === 'content' && content === undefined;
    return { ...choice, delta: { ...delta, [field]: isNext ? `\n\n${text}` : text } };
  });
  return { ...chunk, choices };
}

/** A judged, whole answer as chunks. A run that was stopped is a single one with `svc_event`. */
function chunksOf(completion: ChatCompletion, { stop }: RunOutcome, include_usage: boolean): ChatCompletionChunk[] {
  const { id, created, model, usage, svc_retry_at, service_tier, system_fingerprint } = completion;
  const held = Object.entries({ service_tier, system_fingerprint }).filter(([, value]) => value != null);
  const base = { ...Object.fromEntries(held), id, object: 'chat.completion.chunk', created, model } as const;
  if (stop !== null) {
    const choices = completion.choices.map(({ message, ...choice }) => ({ ...choice, delta: deltaOf(message) }));
    const told = {
      ...(include_usage && usage !== undefined ? { usage } : {}),
      ...(svc_retry_at === undefined ? {} : { svc_retry_at }),
    };
    return [{ ...base, choices, ...told, svc_event: stop.kind }];
  }
  const unused = include_usage ? { usage: null } : {};
  const chunks: ChatCompletionChunk[] = completion.choices.flatMap(({ message, finish_reason, ...choice }) => [
    { ...base, choices: [{ ...choice, delta: deltaOf(message), finish_reason: null }], ...unused },
    { ...base, choices: [{ index: choice.index, delta: {}, finish_reason }], ...unused },
  ]);
  return include_usage && usage !== undefined ? [...chunks, { ...base, choices: [], usage }] : chunks;
}

/** A whole message as one delta: every field, tool calls numbered as pieces of a stream are. */
function deltaOf({ content, tool_calls, ...message }: ChatMessage): ChatCompletionChunk['choices'][number]['delta'] {
  return {
    ...message,
    content: textOf(content),
    ...(tool_calls === undefined ? {} : { tool_calls: tool_calls.map((call, index) => ({ ...call, index })) }),
  };
}

/** A delta's content is one text: parts are joined, as a reader of the stream would. */
function textOf(content: ChatMessage['content']): string | null {
  if (!Array.isArray(content)) return content ?? null;
  return content.map((part) => (isTextPart(part) ? part.text : '')).join('');
}

function isTextPart(part: unknown): part is { text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
