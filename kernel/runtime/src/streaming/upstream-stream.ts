import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  type AnswerFrame,
  type Clock,
  type FrameIterator,
  isObject,
  type Protocol,
  ProviderError,
  type ProviderStream,
  type UpstreamTimeouts,
} from '@svc/contracts';
import type { CallRecord, PipelineRun } from '@svc/kernel';
import type { RouteEndpoint } from '@svc/kernel/routes';
import { withoutGatewayFields } from '@svc/protocols';
import { AnswerBytes } from '../answers/answer-bytes.ts';
import { identityOf } from '../answers/answer-head.ts';
import { asProviderError } from '../answers/as-provider-error.ts';
import { type FrameConversion, frameConversion } from '../answers/frame-conversion.ts';
import { outgoingRequest } from '../answers/outgoing-request.ts';
import type { TransportEnv } from '../answers/transport-env.ts';
import { whyUnrecordable } from '../texts/recordable.ts';
import { TimeoutError, WaitLimits } from './wait-limits.ts';

/**
 * A provider's stream, read at most one chunk ahead of the reader. The time without a complete chunk is limited, before the first piece and between
 * later ones. The total wait for the upstream is also limited, in case it sends very slowly; time in which the reader is slow does not count. The
 * limits apply even if the provider ignores its signal.
 */
export class UpstreamStream {
  readonly #run: PipelineRun;
  readonly #carrying: Pick<TransportEnv, 'handles' | 'protocols'>;
  readonly #clock: Clock;
  readonly #waits: WaitLimits;
  readonly #given_up = new AbortController();
  #chunks: OpenStream['chunks'] | null = null;
  readonly #timeouts: UpstreamTimeouts;
  #begun = false;
  readonly #began_at: number;
  /** The next chunk, if it was already requested. */
  #coming: Promise<IteratorResult<unknown>> | null = null;
  /** Converted frames, in the caller's protocol, that were not returned yet. */
  readonly #made: AnswerFrame[] = [];
  #conversion: FrameConversion | null = null;
  /** Where the upstream's id and model are recorded, until a frame has them. Null: they are known. */
  #unnamed: { readonly record: CallRecord; readonly spoken: Protocol } | null = null;
  #ended = false;
  /** The reservation of this attempt's answer. */
  readonly bytes: AnswerBytes;
  /** Request parameters that the provider does not support. */
  unsupported: readonly string[] = [];

  constructor(run: PipelineRun, endpoint: RouteEndpoint, env: TransportEnv) {
    this.#run = run;
    this.#carrying = env;
    this.#clock = env.clock;
    this.bytes = new AnswerBytes(run.bytes, () => this.#given_up.abort());
    this.#waits = new WaitLimits(env.clock, endpoint.timeouts.stream_timeout_ms, run.abort.signal);
    this.#timeouts = endpoint.timeouts;
    this.#began_at = env.clock.monotonic();
  }

  get waited_ms(): number {
    return this.#waits.waited_ms;
  }

  /** Whether the upstream accepted the request. From then on, it may be billed. */
  get accepted(): boolean {
    return this.#chunks !== null;
  }

  /** @throws {ProviderError} */
  async open(endpoint: RouteEndpoint, record: CallRecord): Promise<void> {
    const carriage = outgoingRequest(this.#run, endpoint, this.#carrying, 'streamed');
    const { spoken, body, lost } = carriage;
    record.asks(spoken, body);
    this.#unnamed = { record, spoken };
    this.#conversion = frameConversion(carriage, this.#run, identityOf(this.#run, this.#clock));
    const context = record.context(spoken.id, this.#given_up, this.#timeouts.stream_timeout_ms, {
      buffered: this.#buffered,
    });
    const opening = this.bytes.during((async () => openStream(await endpoint.instance.stream(body, context)))());
    try {
      const { chunks, unsupported } = await this.#wait(opening);
      this.#chunks = chunks;
      this.unsupported = [...lost, ...unsupported];
    } catch (error) {
      // A stream that opens too late is closed.
      opening.then(({ chunks }) => tidyUp(chunks)).catch(() => undefined);
      throw this.#failureOf(error);
    }
  }

  /** A provider's report of received bytes restarts the idle timeout. */
  readonly #buffered = (bytes: number): void => {
    this.#waits.renew(this.#silence_ms);
    this.bytes.buffered(bytes);
  };

  /** The next frame, in the caller's protocol, if it has arrived. Undefined: call `next`. @throws {ProviderError} */
  arrived(): AnswerFrame | undefined {
    const made = this.#made.shift();
    const chunks = this.#chunks;
    if (made !== undefined || chunks?.arrived === undefined || this.#coming !== null || this.#run.abort.signal.aborted)
      return made;
    try {
      for (;;) {
        const frame = chunks.arrived();
        if (frame === undefined) return undefined;
        const plain = checkedFrame(frame);
        this.#readHead(plain);
        if (this.#conversion === null) return plain;
        this.#convert(plain);
        if (this.#made.length > 0) return this.#made.shift();
      }
    } catch (error) {
      throw this.#failureOf(error, 'unknown');
    }
  }

  /** Whether the next chunk has already arrived. Does not wait, except for one turn of the event loop if the provider cannot tell. */
  async hasNext(): Promise<boolean> {
    if (this.#made.length > 0) return true;
    if (this.#chunks?.arrived !== undefined) return false;
    let has = false;
    this.#coming ??= this.#ask();
    this.#coming.then(
      (result) => {
        has = result?.done !== true;
      },
      () => undefined,
    );
    await nextIteration();
    return has;
  }

  /** Call this when the answer has begun. From then on, the idle timeout applies. */
  begin(): void {
    this.#begun = true;
  }

  /** The next frame, in the caller's protocol. Null after the last. @throws {ProviderError} */
  async next(): Promise<AnswerFrame | null> {
    while (this.#made.length === 0 && !this.#ended) await this.#read();
    return this.#made.shift() ?? null;
  }

  async #read(): Promise<void> {
    const coming = this.#coming ?? this.#ask();
    this.#coming = null;
    try {
      const frame = frameOf(await this.#wait(coming));
      if (frame !== null) this.#readHead(frame);
      if (frame !== null && this.#conversion === null) this.#made.push(frame);
      else this.#convert(frame);
    } catch (error) {
      // The upstream accepted the request.
      throw this.#failureOf(error, 'unknown');
    }
  }

  #readHead(frame: AnswerFrame): void {
    if (this.#unnamed?.record.readHead(this.#unnamed.spoken, frame)) this.#unnamed = null;
  }

  #convert(frame: AnswerFrame | null): void {
    const before = this.#conversion?.held ?? 0;
    this.#made.push(...((frame === null ? this.#conversion?.end() : this.#conversion?.take(frame)) ?? []));
    this.bytes.gathered((this.#conversion?.held ?? 0) - before);
    this.#ended = frame === null;
  }

  #wait<T>(other: Promise<T>): Promise<T> {
    // If chunks arrive very fast, the waits are too short to measure. So all of the time counts, except time in which the reader was slow.
    const spent_ms = this.#clock.monotonic() - this.#began_at - this.#run.timeline.reader_ms;
    if (spent_ms > this.#timeouts.stream_timeout_ms) {
      other.catch(() => undefined);
      return Promise.reject(new TimeoutError('timeout', true));
    }
    return this.#waits.wait(other, this.#silence_ms - (this.#begun ? 0 : this.#waits.silent_ms));
  }

  /** How long the upstream may send nothing. */
  get #silence_ms(): number {
    return this.#begun ? this.#timeouts.idle_timeout_ms : this.#timeouts.first_chunk_timeout_ms;
  }

  /** Every error that a provider throws counts as a failure of the provider. */
  #failureOf(thrown: unknown, otherwise?: 'unknown'): ProviderError {
    if (!(thrown instanceof TimeoutError)) return asProviderError(thrown, otherwise);
    if (thrown.why === 'aborted') return new ProviderError('aborted');
    const limit: StreamLimit = this.#begun ? 'IDLE_TIMEOUT' : 'FIRST_CHUNK_TIMEOUT';
    return new ProviderError('timeout', { cause: thrown.isTotal ? 'STREAM_TIMEOUT' : limit });
  }

  #ask(): Promise<IteratorResult<unknown>> {
    const chunks = this.#chunks;
    if (chunks === null) throw new Error('not open');
    return this.bytes.during(new Promise((resolve) => resolve(chunks.next())));
  }

  /** Ends a call that has not ended by itself. Does not wait for the provider's cleanup, which may hang. */
  leave(): void {
    if (this.#ended) return;
    this.#given_up.abort();
    if (this.#chunks !== null) tidyUp(this.#chunks);
  }

  /** Stops reading and releases the timers. */
  close(): void {
    this.leave();
    this.#waits.end();
  }
}

/** The idle timeouts, as `reason` in the operator's log. */
type StreamLimit = 'FIRST_CHUNK_TIMEOUT' | 'IDLE_TIMEOUT';

interface OpenStream {
  readonly chunks: AsyncIterator<unknown> & Partial<Pick<FrameIterator, 'arrived'>>;
  readonly unsupported: readonly string[];
}

/** Providers are plugins, so their streams are checked. @throws {ProviderError} `malformed` */
function openStream(stream: Partial<ProviderStream<AnswerFrame>> | null | undefined): OpenStream {
  const { chunks, unsupported } = stream ?? {};
  const open = chunks?.[Symbol.asyncIterator];
  if (typeof open !== 'function' || !Array.isArray(unsupported)) throw new ProviderError('malformed');
  return { chunks: open.call(chunks), unsupported };
}

/** @throws {ProviderError} `malformed` */
function frameOf(result: IteratorResult<unknown>): AnswerFrame | null {
  if (typeof result !== 'object' || result === null) throw new ProviderError('malformed');
  if (result.done === true) return null;
  return checkedFrame(result.value);
}

/** A frame without the fields that only the gateway may write. @throws {ProviderError} `malformed` */
function checkedFrame(value: unknown): AnswerFrame {
  if (!isObject(value) || whyUnrecordable(value) !== null) throw new ProviderError('malformed');
  return withoutGatewayFields(value);
}

function tidyUp(chunks: AsyncIterator<unknown>): void {
  void (async () => chunks.return?.())().catch(() => undefined);
}
