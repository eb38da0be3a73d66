import type { ChatCompletion, ChatCompletionChunk, ChatRequest } from './chat.ts';
import type { Price } from './price.ts';
import type { AnswerBody, AnswerFrame, ProtocolId, RequestBody } from './protocol.ts';
import type { UpstreamErrorCode } from './upstream-error.ts';

/** Where a call goes: the provider's name in the configuration, the upstream model, and the declared region (null: none). */
export interface Endpoint {
  readonly provider: string;
  readonly model: string;
  readonly region: string | null;
  /** The price of a call. Absent: unknown. */
  readonly price?: Price;
}

/** Timeouts for an upstream, in milliseconds. */
export interface UpstreamTimeouts {
  /** For an answer that is not streamed. */
  readonly timeout_ms: number;
  /** Until the first piece of a streamed answer. */
  readonly first_chunk_timeout_ms: number;
  /** Between later pieces. */
  readonly idle_timeout_ms: number;
  /** For the complete stream. */
  readonly stream_timeout_ms: number;
}

/**
 * What went wrong upstream. The kernel chooses the status, fallbacks and billing by the kind:
 * - `invalid_request`: the upstream refused the caller's request (400, 413, 422); give its status. No fallback is tried.
 * - `rate_limited`: 429; give `retry_after_s` if the upstream did.
 * - `configuration`: 401, 402, 403, 404. The gateway's key, account, base URL or model is wrong. The next endpoint is tried, and this one is skipped
 * for a while.
 * - `unavailable`: 5xx, 409, 423 to 425, refused or broken connections.
 * - `timeout`: the upstream itself timed out. (The gateway's own deadline aborts the signal instead.)
 * - `malformed`: the upstream's answer does not conform to its API.
 * - `aborted`: the call's signal was aborted.
 * - `unsupported`: the provider cannot express this request and sent nothing. Set the status 413 if the request is too large. No fallback is tried.
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

/** By how much a request exceeds its model's context window. In tokens; null: unknown. */
export interface ContextLength {
  /** Tokens of the request. If the upstream counts requested output tokens together with them, they are included. */
  readonly tokens: number | null;
  /** Requested output tokens, if the upstream counts them separately. */
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
 * The only error that a provider should throw. Any other error is treated as `unavailable`, but never opens a circuit, because the request may have
 * caused it. A ProviderError must not contain upstream text, which may quote the caller.
 */
export class ProviderError extends Error {
  readonly [BRAND] = true;
  readonly kind: ProviderErrorKind;
  /** The upstream's HTTP status, if any. */
  readonly status: number | undefined;
  /** Seconds, from the upstream's `Retry-After`. */
  readonly retry_after_s: number | undefined;
  /** Milliseconds, from the upstream's `retry-after-ms`. */
  readonly retry_after_ms: number | undefined;
  /** The upstream's error code, if it is a known one. */
  readonly code: UpstreamErrorCode | undefined;
  /** The field of the request that the upstream rejected, such as `messages[0].content`. The kernel drops it unless all its names are known. */
  readonly param: string | undefined;
  /** With the code `context_length_exceeded`: the numbers that the upstream reported. */
  readonly context_length: ContextLength | undefined;

  /**
   * Whether the call may have been billed despite the error, if that does not follow from its kind. A connection that broke after the request was
   * sent is `unavailable` and `unknown`. A connection that was never established is `unavailable` and `none`.
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
  /** The protocol of the request and the expected answer: one of those that the provider declares. Absent: the chat format. */
  readonly protocol?: ProtocolId;
  /** 1 for the first upstream attempt of the run. */
  readonly attempt: number;
  /** The kernel aborts it when the deadline passes, the client disconnects or the server stops. Pass it to every I/O call. */
  readonly signal: AbortSignal;
  /** Timeout of the whole call in milliseconds, including a stream. The kernel enforces it; a provider may pass it to the upstream. */
  readonly timeout_ms: number;
  /**
   * Reports how many bytes of the answer the provider buffers, whenever the number changes: all received bytes of a non-streamed answer, or the
   * incomplete event of a stream. If they exceed the memory limit, `signal` is aborted. Absent if memory is not limited. In a stream, every report
   * restarts the idle timeouts. If a provider never reports, only frames restart them.
   */
  readonly onBuffered?: (bytes: number) => void;
  /** Reports that a reused connection broke before any byte of the answer arrived, and that the request was sent again on a new one. */
  readonly onReconnect?: () => void;
  /**
   * Reports the id that the upstream gave to the call, for example from its header `x-request-id`. It is recorded if it is a UUID, 32 hexadecimal
   * digits, or `req_` followed by letters and digits.
   */
  readonly onRequestId?: (id: string) => void;
}

/**
 * A complete answer. `unsupported` lists everything in the request that this provider ignored: names of parameters, paths of fields in them without
 * indexes (`messages.cache_control`), or types of tools (`tools.custom`). Never ignore anything silently.
 */
export interface ProviderAnswer<Answer extends AnswerBody = ChatCompletion> {
  /** In the protocol of the request. */
  readonly completion: Answer;
  readonly unsupported: readonly string[];
}

/**
 * A streamed answer. `chunks` ends after the last chunk and throws {@link ProviderError} if the stream fails. Do not read ahead of the consumer, so
 * that a slow reader slows the upstream down. Leaving the loop early (`return()`) must close the upstream connection.
 */
export interface ProviderStream<Frame extends AnswerFrame = ChatCompletionChunk> {
  /** The object in the `data` of each event. Do not keep a reference to it, because guards edit it. The iterator may be a {@link FrameIterator}. */
  readonly chunks: AsyncIterable<Frame>;
  readonly unsupported: readonly string[];
}

/** An iterator that can return a frame without a promise if the frame has already arrived. A promise costs more than most frames. */
export interface FrameIterator<Frame extends AnswerFrame = ChatCompletionChunk> extends AsyncIterableIterator<Frame, undefined> {
  /** The next frame. Undefined if it has not arrived yet: call `next` then. Not called while `next` is pending. */
  arrived(): Frame | undefined;
}

/** OpenAI's embeddings request. */
export interface EmbeddingRequest {
  /** The upstream model. */
  readonly model: string;
  readonly input: readonly string[];
  /** Length of the vectors, if the model can shorten them. */
  readonly dimensions?: number;
  /** Default: `float`. */
  readonly encoding_format?: 'float' | 'base64';
  readonly [field: string]: unknown;
}

/** `unsupported`: as in {@link ProviderAnswer}. */
export interface ProviderEmbeddings {
  /** One vector per text, in order: numbers, or base64 of little-endian 32-bit floats. The gateway converts them to the requested form. */
  readonly embeddings: readonly (readonly number[] | string)[];
  /** Null: the upstream reported no usage. */
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number } | null;
  readonly unsupported: readonly string[];
}

/**
 * One configured model provider. In a request, `model` is the upstream model. Requests are in the chat format unless the provider declares other
 * protocols. Do not mutate them.
 *
 * Authors must not retry, fall back, cache or log content: the kernel handles retries and fallbacks. Text must be well-formed Unicode
 * (`toWellFormed`). Ask the upstream for usage in streams too.
 */
export interface Provider<
  Request extends RequestBody = ChatRequest,
  Answer extends AnswerBody = ChatCompletion,
  Frame extends AnswerFrame = ChatCompletionChunk,
> {
  /**
   * The protocols of the endpoint, the preferred one first. Requests in one of them are passed on unchanged. Any other request is converted to the
   * first. Absent: the chat format.
   */
  readonly protocols?: readonly ProtocolId[];
  /**
   * Who bills the calls: the URL of the API, such as `https://api.openai.com/v1`, or the name of a vendor, such as `openai`. Prices are looked up by
   * this. Absent: the provider's models have no prices.
   */
  readonly vendor?: string;
  /** @throws {ProviderError} */
  complete(request: Request, context: CallContext): Promise<ProviderAnswer<Answer>>;
  /** @throws {ProviderError} before the first chunk; `chunks` throws later failures. */
  stream(request: Request, context: CallContext): Promise<ProviderStream<Frame>>;
  /** Embeds texts. Absent: routes of this provider reject `/v1/embeddings`. @throws {ProviderError} */
  embed?(request: EmbeddingRequest, context: CallContext): Promise<ProviderEmbeddings>;
  /** Closes pooled connections. Called when no call is in flight. */
  close?(): Promise<void>;
}

export type AnyProvider = Provider<RequestBody, AnswerBody, AnswerFrame>;
