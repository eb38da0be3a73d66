import {
  type AnswerBody,
  type AnswerFrame,
  type CallContext,
  type Protocol,
  type ProviderError,
  type RequestBody,
  runEvent,
  type Spend,
  type TokenUsage,
} from '@svc/contracts';
import { failureReason } from '../calls/failure-reason.ts';
import { failureClass } from '../calls/provider-failure.ts';
import { priceField, spendOf } from '../calls/spend.ts';
import type { CallOutcome, CallReport } from '../observing/observer.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { RouteEndpoint } from './route.ts';
import type { PipelineEnv } from './stage.ts';
import { answerId, modelName } from './upstream-names.ts';

interface Answered {
  readonly finish_reason: unknown;
  /** The parts of the request that were not sent: paths of known names. */
  readonly unsupported: readonly string[];
}

/** The fields of a failure or an answer that an event records. */
type ReportedOutcome = Partial<Pick<ProviderError, 'code' | 'param' | 'status'>> & {
  readonly unsupported?: string[] | undefined;
};

/** How long a call took, and how much of that was spent waiting for the upstream. */
interface Taken {
  readonly duration_ms: number;
  readonly upstream_ms: number;
}

/** UUIDs, long hexadecimal numbers, and the `req_` ids of OpenAI, Anthropic and Groq: forms that cannot contain words. */
const REQUEST_ID = /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32}|req_[\dA-Za-z]{8,64})$/i;
const FINISH_REASONS: readonly unknown[] = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call', null];

/** One upstream attempt: its event, its usage, its report to the observer, and a log line if it failed. */
export class CallRecord {
  readonly #run: PipelineRun;
  readonly #endpoint: RouteEndpoint;
  readonly attempt: number;
  readonly #streamed: boolean;
  readonly #env: PipelineEnv;
  readonly #operation: CallReport['operation'];
  readonly #started: number;
  /** Null while the call may still return something. */
  #took: Taken | null = null;
  #first_token_ms: number | null = null;
  #spent: Spend | null = null;
  #upstream_request_id: string | undefined;
  #reconnected = false;
  #request: CallReport['request'] = null;
  #response: CallReport['response'] = { id: null, model: null };
  /** Fields of the answer that were removed because guards cannot check them. */
  left_out: readonly string[] = [];

  constructor(
    run: PipelineRun,
    endpoint: RouteEndpoint,
    streamed: boolean,
    env: PipelineEnv,
    operation: CallReport['operation'] = 'chat',
  ) {
    this.#operation = operation;
    this.#run = run;
    this.#endpoint = endpoint;
    this.attempt = run.timeline.calls.length + 1;
    this.#streamed = streamed;
    this.#env = env;
    this.#started = env.clock.monotonic();
  }

  /** Call it with the request as it is sent. */
  asks(protocol: Protocol, body: RequestBody): void {
    this.#request = { ...protocol.factsOf(body), ...protocol.parametersOf?.(body) };
  }

  /** Reads the upstream's id and model in an answer or a frame of one. @returns whether they are known now */
  readHead(protocol: Protocol, answer: AnswerBody | AnswerFrame): boolean {
    if (protocol.headOf === undefined) return true;
    const head = protocol.headOf(answer);
    if (head !== null) this.#response = { id: answerId(head.id), model: modelName(head.model) };
    return head !== null;
  }

  /** The provider's context for the call, and its callbacks. */
  context(
    protocol: Protocol['id'],
    { signal }: AbortController,
    timeout_ms: number,
    { buffered }: { readonly buffered: (bytes: number) => void },
  ): CallContext {
    const { attempt } = this;
    const [onReconnect, onRequestId] = [this.#reconnect, this.#requestId];
    return { run_id: this.#run.run_id, protocol, attempt, signal, timeout_ms, onBuffered: buffered, onReconnect, onRequestId };
  }

  readonly #reconnect = (): void => {
    this.#reconnected = true;
  };

  /** The value comes from a plugin, so it is checked. */
  readonly #requestId = (id: unknown): void => {
    if (typeof id === 'string' && REQUEST_ID.test(id)) this.#upstream_request_id = id;
  };

  /** Call it when the first text of a stream arrives. */
  firstToken(): void {
    this.#first_token_ms ??= this.#elapsed();
  }

  /**
   * Marks the end of the upstream's part; time after it is the gateway's own. The end of the call implies this. `upstream_ms`: the time spent waiting
   * for the upstream; by default, all of the time so far.
   */
  received(upstream_ms?: number): Taken {
    if (this.#took !== null) return this.#took;
    const duration_ms = this.#elapsed();
    this.#took = { duration_ms, upstream_ms: upstream_ms ?? duration_ms };
    return this.#took;
  }

  bill(usage: TokenUsage): void {
    this.#spent = spendOf(this.#endpoint, usage, this.#env.clock.now());
    this.#run.spend.push(this.#spent);
  }

  answered({ finish_reason, unsupported }: Answered): void {
    const reason = FINISH_REASONS.includes(finish_reason) ? finish_reason : 'other';
    const names = unsupported.length === 0 ? undefined : [...new Set(unsupported)];
    this.#end('answered', typeof reason === 'string' ? reason : null, { unsupported: names });
  }

  /** The gateway itself ended the call: a guard stopped the stream, or the run could not be written. */
  cut(): void {
    this.#end('cut', undefined, {});
  }

  /** The call was not made, because the endpoint's circuit is open or its provider is disabled. */
  skipped(): void {
    this.#end('skipped', undefined, {});
  }

  failed(failure: ProviderError): void {
    const { provider, model } = this.#endpoint;
    const { kind, status = null } = failure;
    const reason = failureReason(failure);
    const { run_id } = this.#run;
    const fields = { run_id, provider, model, attempt: this.attempt, kind, class: failureClass(failure), status, reason };
    // A cancelled run reveals nothing about its provider.
    if (kind !== 'aborted') this.#env.logger.warn({ event: 'provider_failed', ...fields });
    this.#end(kind, undefined, failure);
  }

  #elapsed(): number {
    return this.#env.clock.monotonic() - this.#started;
  }

  /** `finish_reason`: undefined if attempts of this kind have none. */
  #end(
    outcome: CallOutcome,
    finish_reason: string | null | undefined,
    { code, param, status, unsupported }: ReportedOutcome,
  ): void {
    const { provider, model, region } = this.#endpoint;
    const { attempt } = this;
    const { duration_ms, upstream_ms } = this.received();
    const first_token_ms = this.#first_token_ms;
    const usage = this.#spent?.usage ?? null;
    // In canonical order, see evidenceOf.
    const data = {
      attempt,
      ...(code === undefined ? {} : { code }),
      ...(finish_reason === undefined ? {} : { finish_reason }),
      ...(first_token_ms === null ? {} : { first_token_ms: Math.round(first_token_ms) }),
      latency_ms: Math.round(duration_ms),
      ...(this.left_out.length === 0 ? {} : { left_out: [...this.left_out] }),
      model,
      outcome,
      ...(param === undefined ? {} : { param }),
      ...priceField(this.#spent),
      provider,
      ...(this.#reconnected ? { reconnected: true } : {}),
      region,
      ...(status === undefined ? {} : { status }),
      ...(unsupported === undefined ? {} : { unsupported }),
      ...(this.#upstream_request_id === undefined ? {} : { upstream_request_id: this.#upstream_request_id }),
      ...(usage === null ? {} : { usage }),
    };
    this.#run.events.push(runEvent('provider_call', 'execute', provider, data));
    this.#run.timeline.calls.push({
      operation: this.#operation,
      provider,
      model,
      region,
      attempt,
      outcome,
      streamed: this.#streamed,
      started_ms: this.#run.timeline.at(this.#started),
      duration_ms,
      upstream_ms,
      first_token_ms,
      usage,
      finish_reason: finish_reason ?? null,
      request: this.#request,
      response: this.#response,
    });
  }
}
