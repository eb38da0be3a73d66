import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import {
  type AnswerBody,
  type AnyProvider,
  type CallContext,
  type ChatRequest,
  isProviderError,
  type Protocol,
  ProviderError,
  type RequestBody,
  type TokenUsage,
  type UpstreamTimeouts,
  withTimeout,
} from '@svc/contracts';
import { failureReason } from '@svc/kernel';
import { CHAT, type Protocols } from '@svc/protocols';
import { type Cause, causeOf } from './cause.ts';

/** The answer is a word. More bytes or frames than this are not one. */
const MAX_BYTES = 1_048_576;
const MAX_FRAMES = 10_000;

export const WAYS = ['whole', 'streamed'] as const;
export type Way = (typeof WAYS)[number];

/** A call that was answered. */
export interface Answered {
  readonly ok: true;
  readonly duration_ms: number;
  /** Until the first piece of a streamed answer. Null: not streamed. */
  readonly first_piece_ms: number | null;
  /** UTF-16 code units of the answer's text. */
  readonly characters: number;
  /** Null: the provider reported none. */
  readonly usage: Pick<TokenUsage, 'input_tokens' | 'output_tokens'> | null;
}

/** A call that failed. It has nothing that the provider wrote. */
export interface Failed {
  readonly ok: false;
  readonly duration_ms: number;
  readonly cause: Cause;
  /** HTTP status of the provider, if it answered. */
  readonly status: number | null;
  /** Code of the system or of TLS, such as `ECONNREFUSED`. */
  readonly reason: string | null;
  readonly retry_after_s: number | null;
}

export type Called = Answered | Failed;

interface Target {
  readonly instance: AnyProvider;
  readonly timeouts: UpstreamTimeouts;
}

/** Calls a provider once with a short question, as the gateway does, without guards and records. Does not reject. */
export async function callProvider(
  { instance, timeouts }: Target,
  model: string,
  protocols: Protocols,
  way: Way,
): Promise<Called> {
  const started = performance.now();
  const since = () => Math.round(performance.now() - started);
  const abort = new AbortController();
  let first_piece_ms: number | null = null;
  let heard_at = started;
  try {
    const spoken = protocolOf(instance, protocols);
    const question: ChatRequest = { model, messages: [{ role: 'user', content: 'Reply with the word OK.' }] };
    const body = spoken.bridge?.requestFromChat(question).body ?? question;
    const timeout_ms = way === 'whole' ? timeouts.timeout_ms : timeouts.stream_timeout_ms;
    const onBuffered = (bytes: number): void => {
      heard_at = performance.now();
      if (bytes > MAX_BYTES) abort.abort();
    };
    const call = { run_id: randomUUID(), protocol: spoken.id, attempt: 1 };
    const context: CallContext = { ...call, signal: abort.signal, timeout_ms, onBuffered };
    const answer =
      way === 'whole'
        ? (await inTime(instance.complete(body, context), timeout_ms)).completion
        : await inTime(
            gathered(instance, { body, context, spoken, timeouts, heardAt: () => heard_at }, () => {
              first_piece_ms ??= since();
              heard_at = performance.now();
            }),
            timeout_ms,
          );
    const read = spoken.readAnswer(answer);
    const { usage } = spoken.outcomeOf(read);
    return { ok: true, duration_ms: since(), first_piece_ms, characters: spoken.textOf(read).length, usage: tokensOf(usage) };
  } catch (error) {
    const { status = null, retry_after_s = null } = isProviderError(error) ? error : {};
    // Only an answer that is too long aborts the call.
    const cause = abort.signal.aborted ? 'not_its_api' : causeOf(error);
    return { ok: false, duration_ms: since(), cause, status, reason: failureReason(error), retry_after_s };
  } finally {
    abort.abort();
  }
}

interface StreamCall {
  readonly body: RequestBody;
  readonly context: CallContext;
  readonly spoken: Protocol;
  readonly timeouts: UpstreamTimeouts;
  /** When the last byte came, in monotonic milliseconds. Bytes that are no frame end a silence too. */
  readonly heardAt: () => number;
}

async function gathered(
  instance: AnyProvider,
  { body, context, spoken, timeouts: { first_chunk_timeout_ms, idle_timeout_ms }, heardAt }: StreamCall,
  onFrame: () => void,
): Promise<AnswerBody> {
  const gatherer = spoken.frames.gatherer();
  const { chunks } = await inTime(instance.stream(body, context), first_chunk_timeout_ms);
  const frames = chunks[Symbol.asyncIterator]();
  let limit_ms = first_chunk_timeout_ms;
  for (let count = 0; count < MAX_FRAMES; count += 1) {
    const { done, value } = await unlessSilent(frames.next(), limit_ms, heardAt);
    if (done === true) return gatherer.answer();
    onFrame();
    gatherer.take(value);
    limit_ms = idle_timeout_ms;
  }
  throw new ProviderError('malformed');
}

/** @throws {ProviderError} `timeout` if nothing was heard for so long */
async function unlessSilent<T>(work: Promise<T>, limit_ms: number, heardAt: () => number): Promise<T> {
  for (let wait_ms = limit_ms; wait_ms > 0; wait_ms = heardAt() + limit_ms - performance.now()) {
    const ended = await withTimeout(work, wait_ms);
    if (ended.done) return ended.value;
  }
  throw new ProviderError('timeout');
}

/** @throws {ProviderError} `timeout` */
async function inTime<T>(work: Promise<T>, limit_ms: number): Promise<T> {
  const ended = await withTimeout(work, limit_ms);
  if (!ended.done) throw new ProviderError('timeout');
  return ended.value;
}

/** @throws {ProviderError} `configuration` if no plugin of the configuration provides the protocol */
function protocolOf({ protocols }: AnyProvider, known: Protocols): Protocol {
  const spoken = protocols === undefined ? CHAT : known.get(protocols[0] ?? '');
  if (spoken === undefined) throw new ProviderError('configuration');
  return spoken;
}

function tokensOf(usage: TokenUsage | null): Answered['usage'] {
  return usage === null ? null : { input_tokens: usage.input_tokens, output_tokens: usage.output_tokens };
}
