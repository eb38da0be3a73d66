import type {
  CreatedRun,
  CreateRun,
  Decide,
  DecidedRun,
  ErasedRun,
  PendingRun,
  Run,
  RunDecisions,
  RunResponse,
} from './openapi.ts';
import { pause } from './pause.ts';
import { RunEvents } from './run-events.ts';
import type { CallOptions, Transport } from './transport.ts';

/** Polling intervals of `wait`, which grow from the first to the last. */
const FIRST_LOOK_MS = 200;
const LATEST_LOOK_MS = 5000;

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** What to do while a run is paused for approval: `wait` (the default) for the decision, or `return` the paused run. */
  readonly paused?: 'wait' | 'return';
}

function pathOf(run_id: string, part = ''): string {
  return `/v1/runs/${encodeURIComponent(run_id)}${part}`;
}

/** 128 random bits in hex. `crypto.randomUUID` exists only on https. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The runs API. Every method rejects with an `HttpStatusError` if the gateway returns an error. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Calls with the same `idempotency_key` return the same run; a different run with that key gets 409. By default, each call gets a new key, so that
   * a retry after a broken connection does not create a second run.
   */
  create(run: CreateRun, options: CallOptions & { readonly idempotency_key?: string } = {}): Promise<CreatedRun> {
    const headers = { 'idempotency-key': options.idempotency_key ?? randomKey() };
    return this.#transport.json({ method: 'POST', path: '/v1/runs', body: run, headers }, options);
  }

  get(run_id: string, options: CallOptions = {}): Promise<Run> {
    return this.#transport.json({ method: 'GET', path: pathOf(run_id) }, options);
  }

  /** Resolves when the run has ended (see {@link WaitOptions.paused}). There is no time limit; abort the signal to stop waiting. */
  async wait(run_id: string, { signal, paused = 'wait' }: WaitOptions = {}): Promise<Run> {
    for (let look_ms = FIRST_LOOK_MS; ; look_ms = Math.min(2 * look_ms, LATEST_LOOK_MS)) {
      const run = await this.get(run_id, signal === undefined ? {} : { signal });
      switch (run.status) {
        case 'completed':
        case 'blocked':
        case 'denied':
        case 'error':
          return run;
        case 'paused':
          if (paused === 'return') return run;
          break;
        case 'pending':
        case 'running':
          break;
      }
      await pause(look_ms, signal);
    }
  }

  /**
   * Resolves when later changes of paused runs will be received. To miss no change, then read `audit.runs({ status: 'paused' })`, and iterate. For
   * keys with the role `audit` or `approve`. `timeout_ms` bounds each wait for data; an idle connection gets a comment every 15 seconds.
   */
  async events(options: CallOptions = {}): Promise<RunEvents> {
    const { response, deadline } = await this.#transport.open({ method: 'GET', path: '/v1/runs/events' }, options);
    if (response.body === null) throw new Error('the response has no body');
    return new RunEvents(response.body, deadline);
  }

  /** The pending request of a paused run, for callers who may decide it. */
  pending(run_id: string, options: CallOptions = {}): Promise<PendingRun> {
    return this.#transport.json({ method: 'GET', path: pathOf(run_id, '/pending') }, options);
  }

  resume(run_id: string, decision: Decide, options: CallOptions = {}): Promise<DecidedRun> {
    const call = { method: 'POST', path: pathOf(run_id, '/resume'), body: decision, idempotent: false } as const;
    return this.#transport.json(call, options);
  }

  /** The decisions on a run and their reasons, for its creator and its approvers. */
  decisions(run_id: string, options: CallOptions = {}): Promise<RunDecisions> {
    return this.#transport.json({ method: 'GET', path: pathOf(run_id, '/decisions') }, options);
  }

  /** The answer of an ended run, for as long as it is stored. */
  response(run_id: string, options: CallOptions = {}): Promise<RunResponse> {
    return this.#transport.json({ method: 'GET', path: pathOf(run_id, '/response') }, options);
  }

  /** Deletes the run's request and answer permanently, and denies a paused run. The evidence stays. The reason is recorded. */
  erase(run_id: string, options: CallOptions & { readonly reason?: string } = {}): Promise<ErasedRun> {
    const query = { reason: options.reason };
    return this.#transport.json({ method: 'DELETE', path: pathOf(run_id, '/content'), query }, options);
  }
}
