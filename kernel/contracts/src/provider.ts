import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from './chat.ts';
import type { Price } from './price.ts';
import type { AnswerBody, AnswerFrame, ProtocolId, RequestBody } from './protocol.ts';
import type { UpstreamErrorCode } from './upstream-error.ts';

/** Where a call goes: the provider's name in the configuration, the upstream model, and the declared region (null if none). */
export interface Endpoint {
  readonly provider: string;
  readonly model: string;
  readonly region: string | null;
  /** What its calls cost; absent: it is not known. */
  readonly price?: Price;
}

/** Timeouts for an upstream, in milliseconds. */
export interface UpstreamTimeouts {
  /** For an answer that is not streamed. */
  readonly timeout_ms: number;
  /** For silence before the first piece of a streamed answer. */
  readonly first_chunk_timeout_ms: number;
  /** For silence between later pieces. */
  readonly idle_timeout_ms: number;
  /** For a complete stream. */
  readonly stream_timeout_ms: number;
}

/**
 * What can go wrong upstream. The kernel decides on it (status, fallbacks, billing), so the choice matters:
 * - `invalid_request`: the upstream refused the caller's request (400, 413, 422); give its status. No fallback is tried.
 * - `rate_limited`: 429; give `retry_after_s` if the upstream did.
 * - `configuration`: 401, 402, 403, 404: our key, account, base URL or model is wrong. The next endpoint is tried, and this one passed over for
 *   a while.
 * - `unavailable`: 5xx, 409, 423 to 425, refused or broken connections.
 * - `timeout`: the upstream's own time-out. (The gateway's deadline comes as an aborted signal and is told apart by the kernel.)
 * - `malformed`: it sent an answer that does not fit its API.
 * - `aborted`: the call's signal was aborted.
 * - `unsupported`: the provider itself has no way to send this request, and sent nothing; give 413 where it is too much. No fallback is tried.
 */
export const PROVIDER_ERROR_KINDS = [
  'invalid_request',
  'rate_limited',
  'configuration',
  'unavailable',
  'timeout',
  'malformed',
  'aborted',
  'unsupported',
] as const;
export type ProviderErrorKind = (typeof PROVIDER_ERROR_KINDS)[number];

/** By how much a request exceeds the context window of its model, in tokens; null: unknown. */
export interface ContextLength {
  /** Of the request; where the upstream counts that in, with those that were asked for. */
  readonly tokens: number | null;
  /** Asked for, where the upstream counts them apart. */
  readonly output: number | null;
  readonly limit: number | null;
}

const BRAND: unique symbol = Symbol.for('svc.provider-error');

export interface ProviderErrorOptions {
  readonly status?: number;
  readonly retry_after_s?: number;
  readonly retry_after_ms?: number;
  readonly code?: UpstreamErrorCode;
  readonly param?: string;
  readonly context_length?: ContextLength;
  readonly cost?: 'none' | 'unknown';
  readonly cause?: unknown;
}

/**
 * The only error that a provider should throw; anything else is treated as `unavailable`, and never opens a circuit, since the request may
 * have brought it about.
 * It carries no upstream text: an upstream's message may quote the caller.
 */
export class ProviderError extends Error {
  readonly [BRAND] = true;
  readonly kind: ProviderErrorKind;
  /** The upstream's HTTP status, where there was one. */
  readonly status: number | undefined;
  /** Seconds, from the upstream's `Retry-After`. */
  readonly retry_after_s: number | undefined;
  /** Milliseconds, from its `retry-after-ms`. */
  readonly retry_after_ms: number | undefined;
  /** Its own code for the refusal, where that is a known one. */
  readonly code: UpstreamErrorCode | undefined;
  /** The request's field that it refused, such as `messages[0].content`. The kernel drops it unless all of its names are known. */
  readonly param: string | undefined;
  /** With the code `context_length_exceeded`: the numbers that the upstream gave. */
  readonly context_length: ContextLength | undefined;

  /**
   * Whether the call may have been billed despite the error, if that is not clear from its kind: a connection that broke after the
   * request was sent is `unavailable` and `unknown`, a connection that was never established is `none`.
   */
  readonly cost: 'none' | 'unknown' | undefined;

  constructor(kind: ProviderErrorKind, options: ProviderErrorOptions = {}) {
    super(`provider call failed: ${kind}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.kind = kind;
    this.status = options.status;
    this.retry_after_s = options.retry_after_s;
    this.retry_after_ms = options.retry_after_ms;
    this.code = options.code;
    this.param = options.param;
    this.context_length = options.context_length;
    this.cost = options.cost;
  }
}

export function isProviderError(value: unknown): value is ProviderError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

export interface CallContext {
  readonly run_id: string;
  /** Of the request, and of the answer that is expected: one of those that the provider declares. Absent: the chat format. */
  readonly protocol?: ProtocolId;
  /** 1 for the first upstream attempt of the run. */
  readonly attempt: number;
  /** Aborted by the kernel when the deadline passes, the client goes away or the server stops. Pass it to every I/O. */
  readonly signal: AbortSignal;
  /** Timeout of the whole call in milliseconds, including a stream. The kernel enforces it with `signal`; a provider may pass it to the upstream. */
  readonly timeout_ms: number;
  /**
   * Reports how many bytes of the answer the provider buffers, on each change: all received bytes of a non-streamed answer, the
   * incomplete event of a stream. If they exceed the memory limit, `signal` is aborted. Absent if memory is not limited.
   * In a stream every report is a sign of life, whether or not its bytes bring a frame: the limits of silence begin anew. From a provider that
   * reports nothing, only frames are.
   */
  readonly onBuffered?: (bytes: number) => void;
  /** Reports that a reused connection broke before any byte of an answer came, and that the request was sent again on a new one. */
  readonly onReconnect?: () => void;
  /** Reports the upstream's id of the call, from its `x-request-id` or the like. It is recorded if it is a UUID, 32 hexadecimal digits, or `req_`
   * and letters and digits. */
  readonly onRequestId?: (id: string) => void;
}

/**
 * A complete answer. `unsupported`: names of request parameters that this provider ignored, or paths of fields in them without indexes
 * (`messages.cache_control`), or types of tools (`tools.custom`); never drop one silently.
 */
export interface ProviderAnswer<Answer extends AnswerBody = ChatCompletion> {
  /** In the protocol of the request. */
  readonly completion: Answer;
  readonly unsupported: readonly string[];
}

/**
 * A streamed answer. `chunks` ends after the last chunk and throws {@link ProviderError} if the stream fails.
 * Pull-based: do not read ahead of the consumer, so that a slow reader slows the upstream. Leaving the loop early
 * (`return()`) must close the upstream connection.
 */
export interface ProviderStream<Frame extends AnswerFrame = ChatCompletionChunk> {
  /** The object in the `data` of each event. Nobody else may have it: guards edit it. Its iterator may be a {@link FrameIterator}. */
  readonly chunks: AsyncIterable<Frame>;
  readonly unsupported: readonly string[];
}

/** Frames of which some have arrived already: these are taken without waiting, a promise for each costs more than most frames. */
export interface FrameIterator<Frame extends AnswerFrame = ChatCompletionChunk> extends AsyncIterableIterator<Frame, undefined> {
  /** The next frame; undefined: ask `next`. Not called while `next` waits. */
  arrived(): Frame | undefined;
}

/** OpenAI's embeddings request. */
export interface EmbeddingRequest {
  /** The upstream model. */
  readonly model: string;
  readonly input: readonly string[];
  /** Length of the vectors, where the model can shorten them. */
  readonly dimensions?: number;
  /** Default: `float`. */
  readonly encoding_format?: 'float' | 'base64';
  readonly [field: string]: unknown;
}

/** `unsupported`: as in {@link ProviderAnswer}. */
export interface ProviderEmbeddings {
  /** One for each text, in their order: numbers, or base64 of little-endian 32-bit floats. The gateway gives the form that was asked for. */
  readonly embeddings: readonly (readonly number[] | string)[];
  /** Null: the upstream told none. */
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number } | null;
  readonly unsupported: readonly string[];
}

/**
 * One configured model provider. A request has the upstream `model` set; do not mutate it. It is in the chat format, unless the provider
 * declares other protocols.
 *
 * Authors must not retry, fall back, cache or log content: the kernel handles retries and fallbacks. Text must be well-formed
 * Unicode (`toWellFormed`). Ask the upstream for usage in streams too.
 */
export interface Provider<
  Request extends RequestBody = ChatRequest,
  Answer extends AnswerBody = ChatCompletion,
  Frame extends AnswerFrame = ChatCompletionChunk,
> {
  /**
   * The protocols that its endpoint speaks, the preferred one first. A request that comes in one of them is passed on as it is; every other
   * one is converted to the first. Absent: the chat format.
   */
  readonly protocols?: readonly ProtocolId[];
  /**
   * Who bills its calls: the address of its API, such as `https://api.openai.com/v1`, or the name of a vendor, such as `openai`. Prices of its
   * models are looked up by it. Absent: they are not.
   */
  readonly vendor?: string;
  /** @throws {ProviderError} */
  complete(request: Request, context: CallContext): Promise<ProviderAnswer<Answer>>;
  /** @throws {ProviderError} before the first chunk; later failures come out of `chunks`. */
  stream(request: Request, context: CallContext): Promise<ProviderStream<Frame>>;
  /** Vectors of texts. Absent: its routes refuse `/v1/embeddings`. @throws {ProviderError} */
  embed?(request: EmbeddingRequest, context: CallContext): Promise<ProviderEmbeddings>;
  /** Closes pooled connections. Called when no call is in flight. */
  close?(): Promise<void>;
}

/** A provider of whatever protocols. */
export type AnyProvider = Provider<RequestBody, AnswerBody, AnswerFrame>;
