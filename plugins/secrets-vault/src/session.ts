import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Clock, isObject, type PluginDeps } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { Answer, VaultApi } from './api.ts';
import { type Login, loginOf, type Options } from './options.ts';

/** A valid token that was refused is replaced after this time, because its role may have been changed since the login. */
const ROLE_MS = 600_000;

/** A token that can be used. */
export interface Lease {
  readonly token: string;
  /** Duration when it was granted or renewed, in milliseconds. Infinity: it does not expire. */
  readonly granted_ms: number;
  /** Monotonic times. From `renew_at` on it is renewed or replaced before use. */
  readonly renew_at: number;
  readonly ends_at: number;
  readonly renewable: boolean;
}

/** Logs in when it is first used, and keeps the token alive from then on, whenever it is used. */
export class VaultSession {
  readonly #api: VaultApi;
  readonly #login: Login;
  readonly #auth_mount: string;
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #logger: PluginDeps['logger'];
  #lease: Lease | null = null;
  #pending: Promise<Lease> | null = null;
  /** Monotonic time of the last login. */
  #began_at = 0;
  #isClosed = false;

  /** @throws {Error} for invalid options */
  constructor(api: VaultApi, options: Options, { directory, clock, logger }: Pick<PluginDeps, 'directory' | 'clock' | 'logger'>) {
    this.#api = api;
    this.#login = loginOf(options);
    this.#auth_mount = options.auth_mount;
    this.#directory = directory;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Callers at the same time share one login. @throws {SecretFailedError} */
  lease(): Promise<Lease> {
    // A token of a later login would never be revoked.
    if (this.#isClosed) return Promise.reject(new SecretFailedError('unavailable'));
    this.#pending ??= this.#current().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  /**
   * Called when the server refused a read. A login for each refused path would fill the server with tokens, so a valid token is kept.
   * @returns whether another read is worth it, because there is another token or a login is due
   */
  async replaces(lease: Lease): Promise<boolean> {
    const { by } = this.#login;
    const isYoung = this.#clock.monotonic() - this.#began_at < ROLE_MS;
    const { status } = await this.#api.call('auth/token/lookup-self', { token: lease.token });
    if (this.#lease !== lease) return true;
    if (status === 200 && (by === 'token' || (by === 'approle' && isYoung))) return false;
    this.#lease = null;
    if (status === 200 && by === 'approle') await this.#revoked(lease);
    return true;
  }

  /** Revokes a token that this session got. Others belong to the operator. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pending?.catch(() => undefined);
    const lease = this.#lease;
    this.#lease = null;
    if (lease === null || this.#login.by !== 'approle') return;
    await this.#revoked(lease);
  }

  async #revoked({ token }: Lease): Promise<void> {
    const status = await this.#api.call('auth/token/revoke-self', { send: {}, token }).then(
      (answer) => answer.status,
      () => null,
    );
    // 403: it has expired or was revoked.
    if (status === null || (status !== 403 && status >= 300))
      this.#logger.warn({ event: 'vault_token_kept', reason: status === null ? 'unavailable' : `HTTP_${status}` });
  }

  async #current(): Promise<Lease> {
    const lease = this.#lease;
    const now = this.#clock.monotonic();
    if (lease !== null && now < lease.renew_at) return lease;
    const renewed = lease?.renewable === true && now < lease.ends_at ? await this.#renewed(lease) : null;
    this.#lease = renewed ?? (await this.#begun());
    return this.#lease;
  }

  /** Null: the server does not renew it, or not for long because its maximum is near, so a new login is better. */
  async #renewed({ token, granted_ms }: Lease): Promise<Lease | null> {
    const { status, body } = await this.#api.call('auth/token/renew-self', { send: {}, token });
    if (status !== 200) return null;
    const lease = leaseOf(body?.auth, this.#clock.monotonic());
    return lease !== null && (this.#login.by === 'token' || lease.granted_ms * 2 >= granted_ms) ? lease : null;
  }

  async #begun(): Promise<Lease> {
    const login = this.#login;
    if (login.by !== 'approle') return this.#looked(login.by === 'token' ? login.token : await this.#tokenIn(login.file));
    const { role_id, secret_id } = login;
    const answer = await this.#api.call(`auth/${inPath(this.#auth_mount)}/login`, { send: { role_id, secret_id } });
    const lease = answer.status === 200 ? leaseOf(answer.body?.auth, this.#clock.monotonic()) : null;
    if (lease === null) throw new SecretFailedError('login_failed');
    this.#began_at = this.#clock.monotonic();
    return lease;
  }

  /** The lease of a token that exists already. */
  async #looked(token: string): Promise<Lease> {
    const { status, body }: Answer = await this.#api.call('auth/token/lookup-self', { token });
    const facts = body?.data;
    if (status !== 200 || !isObject(facts)) throw new SecretFailedError('login_failed');
    const lease = leaseOf(
      { client_token: token, lease_duration: facts.ttl, renewable: facts.renewable },
      this.#clock.monotonic(),
    );
    if (lease === null) throw new SecretFailedError('login_failed');
    return lease;
  }

  async #tokenIn(file: string): Promise<string> {
    const text = await readFile(resolve(this.#directory, file), 'utf8').catch(() => '');
    if (text.trim() === '') throw new SecretFailedError('login_failed');
    return text.trim();
  }
}

/** Null: it has another form. A duration of 0 means that the token does not expire. */
function leaseOf(auth: unknown, now: number): Lease | null {
  if (!isObject(auth)) return null;
  const { client_token: token, lease_duration: seconds, renewable } = auth;
  if (typeof token !== 'string' || token === '' || typeof seconds !== 'number' || !(seconds >= 0)) return null;
  const granted_ms = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000;
  return { token, granted_ms, renew_at: now + granted_ms / 2, ends_at: now + granted_ms, renewable: renewable === true };
}

/** A mount, with its slashes. */
export function inPath(mount: string): string {
  return mount.split('/').map(encodeURIComponent).join('/');
}
