import {
  type AnswerFrame,
  type CallContext,
  type ChatCompletionChunk,
  type Clock,
  type JsonLimits,
  ProviderError,
} from '@svc/contracts';
import type { Dispatcher } from 'undici';
import { type ClientDeps, Network } from '../network/network.ts';
import { retryOf } from '../network/retry-after.ts';
import { ChunkStream, type EventReader } from './chunk-stream.ts';
import { StaleConnection } from './connection-use.ts';
import { failureOf, isOk, isUnsent, noAnswer } from './failures.ts';
import { type OpenAnswer, openAnswer } from './incoming-body.ts';
import { readRefusal, refusalError } from './refusal.ts';
import { reportRequestId } from './request-id.ts';
import type { ConnectionOptions, UpstreamTarget } from './target.ts';
import { turnFor } from './turn.ts';
import { type BodyReader, JsonText, wholeAnswer } from './whole-answer.ts';

/** Headers of one call. They are added to the target's headers and override them. */
type CallHeaders = Readonly<Record<string, string>>;

function isEventStream(type: string | string[] | undefined): boolean {
  return typeof type === 'string' && /^text\/event-stream\s*(;|$)/i.test(type);
}

/**
 * Posts JSON to a model server over kept-alive connections. It fulfills a provider's obligations: it observes the call's signal and timeout, throws a
 * {@link ProviderError} without upstream text for every failure, and reads streams only on demand. It makes no connection before the first call,
 * follows no redirect, and repeats a request only if the server had already closed its connection.
 *
 *     const client = new UpstreamClient({ ...addressOf(base_url, '/chat'), headers }, options, deps);
 *     const completion = completionOf(parseAnswer(await client.whole(body, context)));
 *     const chunks = await client.stream(body, context, readEvents);
 */
export class UpstreamClient {
  readonly #target: UpstreamTarget;
  readonly #headers: CallHeaders;
  readonly #options: ConnectionOptions;
  readonly #network: Network;
  readonly #clock: Clock;
  #pool: Dispatcher | undefined;

  /** @throws {Error} with the key and the remedy, for invalid network options */
  constructor(target: UpstreamTarget, options: ConnectionOptions, deps: ClientDeps) {
    this.#target = target;
    this.#headers = { 'content-type': 'application/json', 'user-agent': 'svc', 'accept-encoding': 'identity', ...target.headers };
    this.#options = options;
    this.#network = new Network(options, deps);
    this.#clock = deps.clock;
  }

  /**
   * The text of a 2xx answer.
   * @param body JSON
   * @param limits how much JSON the answer may contain; default: as for answers of a model
   * @param path path of the call, if each model has its own
   * @throws {ProviderError}
   */
  whole(body: string, context: CallContext, limits?: JsonLimits, headers?: CallHeaders, path?: string): Promise<string> {
    return this.gather(body, context, new JsonText(limits), headers, path);
  }

  /**
   * As {@link whole}, for an answer that is processed as it arrives. Returns the reader's text.
   * @throws {ProviderError}
   */
  async gather(
    body: string,
    context: CallContext,
    reader: BodyReader,
    headers?: CallHeaders,
    path = this.#target.path,
  ): Promise<string> {
    const { tokens } = this.#target;
    const { max_response_bytes } = this.#options;
    try {
      context.signal.throwIfAborted();
      const token = tokens && (await tokens.token(context.signal));
      const request = this.#request(body, 'application/json', path, context, headers, token);
      const answer = await this.#call(context, (dispatcher) =>
        wholeAnswer(dispatcher, request, context, reader, max_response_bytes),
      );
      reportRequestId(answer.headers, context);
      if (!isOk(answer.status)) throw this.#refusal(answer.status, answer.headers, answer.text, token);
      const turn = turnFor(answer.text);
      if (turn !== null) await turn;
      return answer.text;
    } catch (error) {
      throw failureOf(error, context.signal);
    }
  }

  /**
   * The chunks that `reader` makes of a streamed answer, which must be a `text/event-stream`. Suitable for `ProviderStream.chunks`.
   * @param body JSON
   * @throws {ProviderError} before the first chunk; the chunks throw later failures
   */
  async stream<Frame extends AnswerFrame = ChatCompletionChunk>(
    body: string,
    context: CallContext,
    reader: EventReader<Frame>,
    headers?: CallHeaders,
    path?: string,
  ): Promise<ChunkStream<Frame>> {
    const answer = await this.#open(body, context, headers, path);
    if (!isEventStream(answer.headers['content-type'])) {
      answer.body.leave();
      throw noAnswer('not an event stream');
    }
    return new ChunkStream(answer.body, reader, context);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
  }

  /** A 2xx answer whose body has not been read. */
  async #open(body: string, context: CallContext, headers?: CallHeaders, path = this.#target.path): Promise<OpenAnswer> {
    const { tokens } = this.#target;
    const { max_response_bytes } = this.#options;
    let answer: OpenAnswer;
    let token: string | undefined;
    try {
      context.signal.throwIfAborted();
      token = tokens && (await tokens.token(context.signal));
      const request = this.#request(body, 'text/event-stream', path, context, headers, token);
      answer = await this.#call(context, (dispatcher) => openAnswer(dispatcher, request, context.signal, max_response_bytes));
      reportRequestId(answer.headers, context);
    } catch (error) {
      throw failureOf(error, context.signal);
    }
    if (isOk(answer.status)) return answer;
    const text = await readRefusal(answer.body);
    if (context.signal.aborted) throw new ProviderError('aborted');
    throw this.#refusal(answer.status, answer.headers, text, token);
  }

  /** Retries once, on a new connection, if the server had closed a reused one. Other pooled connections may be closed too. */
  #call<T>({ signal, onReconnect }: CallContext, send: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
    this.#pool ??= this.#connections(this.#options.connections);
    return send(this.#pool).catch((error: unknown) => {
      if (!(error instanceof StaleConnection) || signal.aborted) throw error;
      onReconnect?.();
      return this.#again(send, error);
    });
  }

  /**
   * Sends the request again on a connection that is closed after the answer.
   * @param stale error to throw if the repeated request could not be sent, because the first one was sent
   */
  async #again<T>(send: (dispatcher: Dispatcher) => Promise<T>, stale: StaleConnection): Promise<T> {
    const fresh = this.#connections(1);
    try {
      return await send(fresh);
    } catch (error) {
      throw isUnsent(error) ? stale : error;
    } finally {
      void fresh.close();
    }
  }

  #connections(connections: number): Dispatcher {
    return this.#network.pool(this.#target.origin, { connections, maxResponseSize: this.#options.max_response_bytes });
  }

  #request(body: string, accept: string, path: string, { timeout_ms }: CallContext, headers?: CallHeaders, token?: string) {
    const bearer = token !== undefined && { authorization: `Bearer ${token}` };
    return {
      method: 'POST',
      path,
      headers: { ...this.#headers, ...headers, ...bearer, accept },
      body,
      // undici's default of 300 s would end a call with a longer timeout.
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    } as const;
  }

  #refusal(status: number, headers: OpenAnswer['headers'], text: string, token: string | undefined): ProviderError {
    // If a newer token has been read in the meantime, the refusal says nothing about that one.
    if (status === 401 && token !== undefined && this.#target.tokens?.refused(token) === true)
      return new ProviderError('unavailable', { status, cost: 'none' });
    return refusalError(status, text, retryOf(headers, this.#clock.now()));
  }
}
