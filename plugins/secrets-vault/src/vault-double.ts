import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpDouble } from '@svc/toolkit/testing';

interface Token {
  ttl_s: number;
  readonly renewable: boolean;
}
interface Answered {
  readonly status: number;
  readonly body?: object;
}

export const ROLE = { role_id: 'role-of-svc', secret_id: 'secret-of-svc' };
const ERRORS = (message: string) => ({ errors: message === '' ? [] : [message] });

/** What the plugin uses of the server's API, as OpenBao 2.7 answers it. It refuses everything else. */
export class VaultDouble extends HttpDouble {
  readonly #tokens = new Map<string, Token>();
  readonly #secrets = new Map<string, Record<string, unknown>>();
  /** The requests, such as `POST auth/approle/login`. */
  readonly asked: string[] = [];
  /** Duration of new tokens. */
  ttl_s = 3_600;
  /** Whether tokens can be renewed, and for how long. */
  renewal_s: number | null = 3_600;
  /** Paths that nobody may read. */
  readonly forbidden = new Set<string>();
  /** Answers everything, as a sealed server does. */
  sealed = false;

  /** @param fields replace those of the path */
  write(path: string, fields: Record<string, unknown>): void {
    this.#secrets.set(path, fields);
  }

  fieldsOf(path: string): Record<string, unknown> {
    return this.#secrets.get(path) ?? {};
  }

  newToken(renewable = this.renewal_s !== null): string {
    const token = `s.${randomUUID()}`;
    this.#tokens.set(token, { ttl_s: this.ttl_s, renewable });
    return token;
  }

  revokeAll(): void {
    this.#tokens.clear();
  }

  get tokens(): number {
    return this.#tokens.size;
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const { pathname, search } = new URL(request.url ?? '', this.origin);
    const path = pathname.replace(/^\/v1\//, '');
    this.asked.push(`${request.method} ${path}`);
    const { status, body = null } =
      search !== '' || request.headers['x-vault-request'] !== 'true'
        ? { status: 400, body: ERRORS('unexpected') }
        : this.sealed
          ? { status: 503, body: ERRORS('Vault is sealed') }
          : this.#answer(`${request.method}`, path, sent === '' ? {} : JSON.parse(sent), `${request.headers['x-vault-token']}`);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === null ? '' : JSON.stringify(body));
  }

  #answer(method: string, path: string, body: Record<string, unknown>, given: string): Answered {
    if (method === 'POST' && path === 'auth/approle/login') {
      const isKnown = body.role_id === ROLE.role_id && body.secret_id === ROLE.secret_id;
      return isKnown
        ? { status: 200, body: this.#auth(this.newToken()) }
        : { status: 400, body: ERRORS('invalid role or secret ID') };
    }
    const token = this.#tokens.get(given);
    if (token === undefined) return { status: 403, body: ERRORS('permission denied') };
    if (method === 'GET' && path === 'auth/token/lookup-self')
      return { status: 200, body: { data: { id: given, ttl: token.ttl_s, renewable: token.renewable } } };
    if (method === 'POST' && path === 'auth/token/renew-self') {
      if (!token.renewable || this.renewal_s === null) return { status: 400, body: ERRORS('lease is not renewable') };
      token.ttl_s = this.renewal_s;
      return { status: 200, body: this.#auth(given) };
    }
    if (method === 'POST' && path === 'auth/token/revoke-self') {
      this.#tokens.delete(given);
      return { status: 204 };
    }
    const [, place] = /^secret\/data\/(.+)$/.exec(decodeURIComponent(path)) ?? [];
    if (method !== 'GET' || place === undefined) return { status: 405, body: ERRORS('unsupported operation') };
    if (this.forbidden.has(place)) return { status: 403, body: ERRORS('permission denied') };
    const data = this.#secrets.get(place);
    if (data === undefined) return { status: 404, body: ERRORS('') };
    return { status: 200, body: { data: { data, metadata: { version: 1, destroyed: false } } } };
  }

  #auth(client_token: string): object {
    const { ttl_s: lease_duration = 0, renewable = false } = this.#tokens.get(client_token) ?? {};
    return { auth: { client_token, lease_duration, renewable } };
  }
}
