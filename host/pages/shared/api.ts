import { ApiError, errorOf, type Receipts, receiptsOf } from './api-error.ts';
import type {
  ChatCompletion,
  DecidedRun,
  Decision,
  Health,
  PendingRun,
  Route,
  Run,
  RunResponse,
  StoredRun,
} from './api-types.ts';

/** Reads are small and quick; a call to a model is bounded by the gateway itself. */
const READ_TIMEOUT_MS = 15_000;
/** Runs of one list; a longer queue is worked off from the newest. */
const LIST_LIMIT = 100;

interface Answer<T> {
  readonly body: T;
  readonly headers: Headers;
}

export interface ChatAnswer {
  readonly completion: ChatCompletion;
  readonly receipts: Receipts;
}

/** The gateway's JSON API, with one key or (for a gateway without authentication) none. Every method throws {@link ApiError}. */
export class Api {
  readonly #key: string | null;
  readonly #onRefusedKey: () => void;

  /** @param onRefusedKey called when the gateway does not know the key (any more) */
  constructor(key: string | null, onRefusedKey: () => void) {
    this.#key = key;
    this.#onRefusedKey = onRefusedKey;
  }

  /** Resolves for an unhealthy gateway too: it answers 503 with the same body. */
  async health(): Promise<Health> {
    return (await this.#call<Health>('/v1/health', undefined, [503])).body;
  }

  async routes(): Promise<readonly Route[]> {
    return (await this.#call<{ routes: Route[] }>('/v1/routes')).body.routes;
  }

  /** Newest first. `more`: there are older ones than those listed. */
  async pausedRuns(route?: string): Promise<{ runs: readonly StoredRun[]; more: boolean }> {
    const query = new URLSearchParams({ status: 'paused', limit: String(LIST_LIMIT), ...(route === undefined ? {} : { route }) });
    const { body, headers } = await this.#call<{ runs: StoredRun[] }>(`/v1/audit?${query}`);
    return { runs: body.runs, more: headers.has('link') };
  }

  async run(run_id: string): Promise<Run> {
    return (await this.#call<Run>(runPath(run_id))).body;
  }

  async pending(run_id: string): Promise<PendingRun> {
    return (await this.#call<PendingRun>(`${runPath(run_id)}/pending`)).body;
  }

  async response(run_id: string): Promise<RunResponse> {
    return (await this.#call<RunResponse>(`${runPath(run_id)}/response`)).body;
  }

  /** `digest`: of what the decision is about; refused where something else waits by now. */
  async resume(run_id: string, decision: Decision, digest: string): Promise<DecidedRun> {
    return (await this.#call<DecidedRun>(`${runPath(run_id)}/resume`, { decision, digest })).body;
  }

  async chat(model: string, content: string): Promise<ChatAnswer> {
    const request = { model, messages: [{ role: 'user', content }] };
    const { body, headers } = await this.#call<ChatCompletion>('/v1/chat/completions', request);
    return { completion: body, receipts: receiptsOf(headers) };
  }

  /** POST where there is something to send, else GET. `expected`: further statuses that are no error. */
  async #call<T>(path: string, send?: object, expected: readonly number[] = []): Promise<Answer<T>> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.#key !== null) headers.authorization = `Bearer ${this.#key}`;
    const init: RequestInit = { headers, cache: 'no-store', credentials: 'omit', redirect: 'error' };
    if (send === undefined) init.signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    else
      Object.assign(init, {
        method: 'POST',
        body: JSON.stringify(send),
        headers: { ...headers, 'content-type': 'application/json' },
      });
    const response = await fetch(path, init).catch(() => {
      throw new ApiError(0, '', 'The gateway cannot be reached. Is it running?');
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.status === 401) this.#onRefusedKey();
    if (body === null || !(response.ok || expected.includes(response.status))) throw errorOf(response, body);
    // The server's schemas make this shape.
    return { body: body as T, headers: response.headers };
  }
}

function runPath(run_id: string): string {
  return `/v1/runs/${encodeURIComponent(run_id)}`;
}
