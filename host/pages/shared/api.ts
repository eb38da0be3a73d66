import { parseBody } from '../../../kernel/contracts/src/exact-json.ts';
import type { AuditAnswer } from '../../src/trail/evidence.ts';
import { ApiError, errorOf, type Receipts, receiptsOf } from './api-error.ts';
import type {
  ChatCompletion,
  ConfigurationStatus,
  CreatedCredential,
  CreatedKey,
  CreateKey,
  Decide,
  DecidedRun,
  Decision,
  ExporterList,
  Frame,
  Health,
  Key,
  Operation,
  PageSession,
  Passkey,
  PasskeyCeremony,
  PasskeyList,
  PendingRun,
  ReloadResult,
  Report,
  RouteList,
  Run,
  RunChange,
  RunDecisions,
  RunResponse,
  SentRequest,
  SetState,
  SignedOut,
  State,
  Statement,
  StoredRun,
  Usage,
} from './api-types.ts';
import { signWithPasskey } from './passkey.ts';
import { type Quota, quotaOf } from './quota.ts';
import { eventsOf, frames } from './sse.ts';

/** For reads only. The gateway itself limits calls to a model. */
const READ_TIMEOUT_MS = 15_000;
/** Entries of a list in one response. */
const PAGE = '1000';

export interface ChatAnswer {
  readonly completion: ChatCompletion;
  readonly receipts: Receipts;
}

export interface ChatStream {
  readonly frames: AsyncIterable<Frame>;
  readonly receipts: Receipts;
}

/** An API key, or the CSRF token to send with the cookie of a session. */
export type Credential = { readonly key: string } | { readonly csrf: string };

/** Options of a request. `expected`: further statuses that are not errors. */
interface Asking {
  /** Default: POST where there is something to send, else GET. */
  readonly method?: 'PUT' | 'DELETE';
  readonly send?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly expected?: readonly number[];
  readonly withCookie?: boolean;
  /** Default for reads: {@link READ_TIMEOUT_MS}. */
  readonly signal?: AbortSignal;
}

/**
 * The gateway's JSON API, with one credential, or null for a gateway without authentication.
 * Every method throws {@link ApiError}.
 */
export class Api {
  /** The headers with which a request is the visitor's. */
  readonly credentialHeaders: Readonly<Record<string, string>>;
  /** Whether the visitor has signed in with an account. */
  readonly hasSession: boolean;
  readonly #onRefused: () => void;
  #isRefused = false;
  /** From the latest response; null if the gateway has no quota. */
  quota: Quota | null = null;

  /** @param onRefused called once, when the gateway rejects the key or session */
  constructor(credential: Credential | null, onRefused: () => void) {
    this.credentialHeaders = headersOf(credential);
    this.hasSession = credential !== null && 'csrf' in credential;
    this.#onRefused = onRefused;
  }

  /** The person signed in by the session cookie, whatever credential this API uses. */
  session(): Promise<PageSession> {
    return this.#read('/auth/session', { withCookie: true });
  }

  /** Ends the session. */
  signOut(): Promise<SignedOut> {
    return this.#read('/auth/logout', { send: {} });
  }

  /** Also resolves for an unhealthy gateway, which responds 503 with the same body. */
  health(): Promise<Health> {
    return this.#read('/v1/health', { expected: [503] });
  }

  routes(): Promise<RouteList> {
    return this.#read('/v1/routes');
  }

  /** All paused runs, newest first. @param route default: all routes of the key */
  async pausedRuns(route?: string): Promise<readonly StoredRun[]> {
    const query = new URLSearchParams({ status: 'paused', limit: PAGE, ...(route === undefined ? {} : { route }) });
    const all: StoredRun[] = [];
    for (let path: string | null = `/v1/audit?${query}`; path !== null; ) {
      const response: Response = await this.#ask(path);
      all.push(...(await jsonOf<{ runs: StoredRun[] }>(response)).runs);
      path = nextPage(response);
    }
    return all;
  }

  /** Resolves when the stream begins: it yields all later changes of paused runs. */
  async runChanges(signal: AbortSignal): Promise<AsyncIterable<RunChange>> {
    const { body } = await this.#ask('/v1/runs/events', { accept: 'text/event-stream', signal });
    if (body === null) throw new ApiError(0, '', 'The response has no body.');
    return changesIn(body);
  }

  /**
   * Newest first.
   * @param query parameters of `GET /v1/audit`
   * @returns `next`: the cursor of the next page; null: there is none
   */
  async runs(query: Readonly<Record<string, string>>): Promise<{ runs: readonly StoredRun[]; next: string | null }> {
    const response = await this.#ask(`/v1/audit?${new URLSearchParams(query)}`);
    const { runs } = await jsonOf<{ runs: StoredRun[] }>(response);
    const next = nextPage(response);
    return { runs, next: next === null ? null : new URL(next, location.origin).searchParams.get('cursor') };
  }

  async run(run_id: string): Promise<Run> {
    const response = await this.#ask(runPath(run_id));
    return { ...(await jsonOf<Omit<Run, 'evidence'>>(response)), evidence: receiptsOf(response.headers).evidence };
  }

  pending(run_id: string): Promise<PendingRun> {
    return this.#read(`${runPath(run_id)}/pending`);
  }

  response(run_id: string): Promise<RunResponse> {
    return this.#read(`${runPath(run_id)}/response`);
  }

  /** The request sent to the model. */
  sent(run_id: string): Promise<SentRequest> {
    return this.#read(`${runPath(run_id)}/request`);
  }

  /** With their reasons. */
  decisions(run_id: string): Promise<RunDecisions> {
    return this.#read(`${runPath(run_id)}/decisions`);
  }

  /**
   * @param digest of the content to decide; the gateway rejects the decision if the content has changed
   * @param passkey whether the visitor signs the decision
   */
  async resume(
    run_id: string,
    decision: Decision,
    digest: string,
    reason = '',
    edits: Readonly<NonNullable<Decide['edits']>> = [],
    passkey: PendingRun['passkey'] = 'none',
  ): Promise<DecidedRun> {
    const send = {
      decision,
      digest,
      ...(reason === '' ? {} : { reason }),
      ...(edits.length === 0 ? {} : { edits }),
    };
    const signed = passkey === 'none' ? {} : { passkey: await this.#signature(run_id, send) };
    return this.#read(`${runPath(run_id)}/resume`, { send: { ...send, ...signed } });
  }

  async #signature(run_id: string, send: object): Promise<Decide['passkey']> {
    const { options, ticket } = await this.#read<Statement>(`${runPath(run_id)}/statement`, { send });
    return { ticket, credential: await signWithPasskey(options) };
  }

  /** The description of this API. */
  openApi(): Promise<object> {
    return this.#read('/v1/openapi.json');
  }

  /** The visitor's own. */
  passkeys(): Promise<PasskeyList> {
    return this.#read('/v1/passkeys?own=true');
  }

  beginPasskey(): Promise<PasskeyCeremony> {
    return this.#read('/v1/passkeys/options', { send: {} });
  }

  registerPasskey(send: CreatedCredential): Promise<Passkey> {
    return this.#read('/v1/passkeys', { send });
  }

  removePasskey(id: string): Promise<Passkey> {
    return this.#read(`/v1/passkeys/${encodeURIComponent(id)}`, { method: 'DELETE' });
  }

  async chat(model: string, content: string): Promise<ChatAnswer> {
    const response = await this.#chat(model, content, false);
    return { completion: await jsonOf<ChatCompletion>(response), receipts: receiptsOf(response.headers) };
  }

  /** Yields the answer as it arrives. */
  async stream(model: string, content: string): Promise<ChatStream> {
    const response = await this.#chat(model, content, true);
    if (response.body === null) throw new ApiError(0, '', 'The response has no body.');
    // The server's schema guarantees this shape.
    return { frames: frames(response.body) as AsyncIterable<Frame>, receipts: receiptsOf(response.headers) };
  }

  report(): Promise<Report> {
    return this.#read('/v1/audit/report');
  }

  /** @param query parameters of `GET /v1/usage` */
  usage(query: Readonly<Record<string, string>>): Promise<Usage> {
    return this.#read(`/v1/usage?${new URLSearchParams(query)}`);
  }

  /** Ledger records after `since_seq`, byte for byte as served, for verification. */
  async ledger(since_seq: number, limit: number): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.#ask(`/v1/audit/ledger?since_seq=${since_seq}&limit=${limit}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The signed head of the ledger: a signed note. */
  async checkpoint(): Promise<string> {
    return (await this.#ask('/v1/audit/ledger/checkpoint', { accept: 'text/plain' })).text();
  }

  configuration(): Promise<ConfigurationStatus> {
    return this.#read('/v1/operations/configuration');
  }

  /** Checks the configuration file (`dry_run`), or applies it. */
  reload(send: { readonly dry_run?: boolean; readonly reason?: string | null }): Promise<ReloadResult> {
    return this.#read('/v1/operations/configuration', { send });
  }

  states(): Promise<{ states: State[] }> {
    return this.#read('/v1/operations/states');
  }

  setState(kind: string, name: string, send: Readonly<Partial<SetState>>): Promise<State> {
    return this.#read(`/v1/operations/states/${kind}/${encodeURIComponent(name)}`, { method: 'PUT', send });
  }

  exporters(): Promise<ExporterList> {
    return this.#read('/v1/operations/exporters');
  }

  /** @param path of the page; null: the first. `next`: path of the next page */
  async keys(path: string | null): Promise<{ keys: readonly Key[]; next: string | null }> {
    const response = await this.#ask(path ?? '/v1/keys?limit=100');
    const { keys } = await jsonOf<{ keys: Key[] }>(response);
    return { keys, next: nextPage(response) };
  }

  createKey(send: CreateKey): Promise<CreatedKey> {
    return this.#read('/v1/keys', { send });
  }

  rotateKey(id: string, send: { readonly reason?: string }): Promise<CreatedKey> {
    return this.#read(`/v1/keys/${encodeURIComponent(id)}/rotate`, { send });
  }

  revokeKey(id: string, reason: string): Promise<Key> {
    const query = reason === '' ? '' : `?${new URLSearchParams({ reason })}`;
    return this.#read(`/v1/keys/${encodeURIComponent(id)}${query}`, { method: 'DELETE' });
  }

  /** The number of entries of the operations log, from its checkpoint. */
  async operationsLength(): Promise<number> {
    const note = await (await this.#ask('/v1/audit/operations/checkpoint', { accept: 'text/plain' })).text();
    return Number(note.split('\n')[1]);
  }

  /** In order of `seq`. */
  async operations(since_seq: number, limit: number): Promise<readonly Operation[]> {
    const { records } = await this.#read<{ records: Operation[] }>(
      `/v1/audit/operations?${new URLSearchParams({ since_seq: String(since_seq), limit: String(limit) })}`,
    );
    return records;
  }

  /** A document of the audit API, whatever its status. */
  async audit(path: string): Promise<AuditAnswer> {
    try {
      const text = await (await this.#ask(path, { accept: '*/*' })).text();
      return { ok: true, status: 200, body: jsonOrNull(text), text };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Without a response, nothing is known.
      return { ok: false, status: error.status || 503, body: { detail: error.message }, text: '' };
    }
  }

  async #chat(model: string, content: string, stream: boolean): Promise<Response> {
    const send = { model, messages: [{ role: 'user', content }], ...(stream ? { stream } : {}) };
    // So that the page can show the request as edited by the guards.
    return this.#ask('/v1/chat/completions', { send, headers: { 'x-svc-keep': 'request' }, accept: '*/*' });
  }

  async #read<T>(path: string, asking: Asking = {}): Promise<T> {
    return jsonOf<T>(await this.#ask(path, asking));
  }

  async #ask(
    path: string,
    {
      method,
      send,
      headers: more = {},
      accept = 'application/json',
      expected = [],
      withCookie = false,
      signal = AbortSignal.timeout(READ_TIMEOUT_MS),
    }: Asking = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { accept, ...more, ...this.credentialHeaders };
    if (send !== undefined) headers['content-type'] = 'application/json';
    const how: RequestInit =
      send === undefined ? { method: method ?? 'GET', signal } : { method: method ?? 'POST', body: JSON.stringify(send) };
    const response = await fetch(path, {
      headers,
      cache: 'no-store',
      credentials: withCookie || this.hasSession ? 'same-origin' : 'omit',
      redirect: 'error',
      ...how,
    }).catch(() => {
      throw new ApiError(0, '', 'The gateway cannot be reached. Is it running?');
    });
    // Refusals report the quota too; requests that do not count against it do not.
    this.quota = quotaOf(response.headers) ?? this.quota;
    if (response.ok || expected.includes(response.status)) return response;
    // Only once: repeated polling must not disturb a visitor who is signing in.
    if (response.status === 401 && !this.#isRefused) {
      this.#isRefused = true;
      this.#onRefused();
    }
    const body: unknown = await response.json().catch(() => null);
    throw errorOf(response, body);
  }
}

function headersOf(credential: Credential | null): Record<string, string> {
  if (credential === null) return {};
  return 'csrf' in credential ? { 'x-svc-csrf': credential.csrf } : { authorization: `Bearer ${credential.key}` };
}

/** The server's schemas guarantee the shape. Numbers in content keep their digits, in browsers that can do so. */
async function jsonOf<T>(response: Response): Promise<T> {
  const body: unknown = await response
    .text()
    .then(parseBody)
    .catch(() => null);
  if (body === null) throw errorOf(response, body);
  return body as T;
}

/** Path of the next page of a list, or null. */
function nextPage({ headers }: Response): string | null {
  return /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null;
}

async function* changesIn(bytes: ReadableStream<Uint8Array>): AsyncGenerator<RunChange, void> {
  for await (const data of eventsOf(bytes)) yield JSON.parse(data);
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function runPath(run_id: string): string {
  return `/v1/runs/${encodeURIComponent(run_id)}`;
}
