import { type ChatCompletion, type ChatCompletionChunk, type ChatMessage, isSvcError, SvcError } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { openAiError } from './errors.ts';
import type { ChatErrorFrame } from './schemas.ts';
import { stoppedCompletion, stopSentence } from './stopped-completion.ts';

/** The head fields of a `text/event-stream`, which nothing on the way is to hold back. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A comment of a `text/event-stream`, which readers pass over. */
export const KEEP_ALIVE = ': keep-alive\n\n';

/** A frame of a `text/event-stream`. */
export function frameText(frame: ChatCompletionChunk | ChatErrorFrame): string {
  return `data: ${JSON.stringify(frame)}\n\n`;
}

/** The last frames of a stream, its receipts in the very last, and `[DONE]`. */
export function lastFrames(outcome: RunOutcome, include_usage: boolean): string {
  const { row, error, completion } = outcome;
  const frames = error === null ? answerFrames(outcome, include_usage) : [errorFrame(row.run_id, row.route, error)];
  const receipts = {
    svc_run_id: row.run_id,
    ...(row.evidence === null ? {} : { svc_evidence: `${row.evidence.seq} ${row.evidence.hash}` }),
    ...(completion?.svc_left_out === undefined ? {} : { svc_left_out: completion.svc_left_out }),
  };
  return frames
    .map((frame, index) => frameText(index === frames.length - 1 ? { ...frame, ...receipts } : frame))
    .join('')
    .concat('data: [DONE]\n\n');
}

/** What is left of an answer that has left as it came, else all of it. */
function answerFrames(outcome: RunOutcome, include_usage: boolean): readonly ChatCompletionChunk[] {
  const { tail, completion, stop } = outcome;
  const frames = tail ?? chunksOf(completion ?? stoppedCompletion(outcome), outcome, include_usage);
  return stop === null ? frames : frames.map((frame) => withSentence(frame, outcome));
}

/** Where a guard ended an answer of which nothing had left, people read why in its place, as they do where the request was stopped. */
function withSentence(frame: ChatCompletionChunk, outcome: RunOutcome): ChatCompletionChunk {
  const choices = frame.choices.map((choice) =>
    choice.delta.content === '' ? { ...choice, delta: { ...choice.delta, content: stopSentence(outcome) } } : choice,
  );
  return { ...frame, choices };
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
  const frames: ChatCompletionChunk[] = completion.choices.flatMap(({ message, finish_reason, ...choice }) => [
    { ...base, choices: [{ ...choice, delta: deltaOf(message), finish_reason: null }], ...unused },
    { ...base, choices: [{ index: choice.index, delta: {}, finish_reason }], ...unused },
  ]);
  return include_usage && usage !== undefined ? [...frames, { ...base, choices: [], usage }] : frames;
}

/** The last frame of a run that failed after its response had begun. Clients take what has `choices` for a piece of the answer: it has none. */
export function errorFrame(run_id: string, route: string, thrown: unknown): ChatErrorFrame {
  const error = isSvcError(thrown) ? thrown : new SvcError('SVC-INT-001', 'internal error', { cause: thrown });
  const created = Math.floor(Date.now() / 1000);
  const head = { id: `chatcmpl-${run_id}`, object: 'chat.completion.chunk', created, model: route } as const;
  return { ...head, error: openAiError(error), svc_run_id: run_id };
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
