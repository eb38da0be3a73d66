import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Clock, isObject, type PluginDeps } from '@svc/sdk';
import { SecretFailedError } from '@svc/sdk/secrets';
import type { Answer, VaultApi } from './api.ts';
import { type Login, loginOf, type Options } from './options.ts';

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
  #lease: Lease | null = null;
  #pending: Promise<Lease> | null = null;

  /** @throws {Error} for invalid options */
  constructor(api: VaultApi, options: Options, { directory, clock }: Pick<PluginDeps, 'directory' | 'clock'>) {
    this.#api = api;
    this.#login = loginOf(options);
    this.#auth_mount = options.auth_mount;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** Callers at the same time share one login. @throws {SecretFailedError} */
  lease(): Promise<Lease> {
    this.#pending ??= this.#current().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  /** Called when the server refused the token: it was revoked, or its role was changed. */
  drop(lease: Lease): void {
    if (this.#lease === lease) this.#lease = null;
  }

  /** Revokes a token that this session got. Others belong to the operator. */
  async close(): Promise<void> {
    const lease = this.#lease;
    this.#lease = null;
    if (lease === null || this.#login.by !== 'approle') return;
    await this.#api.call('auth/token/revoke-self', { send: {}, token: lease.token }).catch(() => undefined);
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
