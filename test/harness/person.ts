import { type Answer, parsed, type TestGateway } from './gateway.ts';

/** Options of a request by a page. */
interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A person with a browser, as far as sign-in needs it. Keeps cookies per host, whatever the port, and does not follow redirects. */
export class Person {
  readonly cookies = new Map<string, string>();
  readonly #gateway: TestGateway;
  readonly #login: string;

  constructor(gateway: TestGateway, login: string) {
    this.#gateway = gateway;
    this.#login = login;
  }

  /** @param path a path of the gateway, or a full URL */
  async ask(path: string, { method = 'GET', body, headers = {} }: Asked = {}): Promise<Answer> {
    const cookie = this.#cookie();
    const type: Record<string, string> =
      body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' };
    const response = await fetch(new URL(path, this.#gateway.url), {
      method,
      redirect: 'manual',
      headers: { ...type, ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  /** Sends a request like the pages do, with the session's token. */
  async act(path: string, asked: Asked = {}): Promise<Answer> {
    return this.ask(path, { ...asked, headers: { ...(await this.headers()), ...asked.headers } });
  }

  /** Headers of a request that changes something: the session's cookies and token. */
  async headers(): Promise<Record<string, string>> {
    const { csrf } = (await this.ask('/auth/session')).body;
    return { cookie: this.#cookie(), 'x-svc-csrf': String(csrf) };
  }

  /** @returns the URL at the issuer */
  async begin(issuer: string, page = '/approvals'): Promise<string> {
    return locationOf(await this.ask(`/auth/login?${new URLSearchParams({ issuer, return: page })}`));
  }

  /**
   * Signs in at the issuer and consents.
   * @returns the gateway's URL to which the issuer redirects
   */
  async passIssuer(address: string): Promise<string> {
    let at = address;
    for (const prompt of ['login', 'consent']) {
      const interaction = new URL(locationOf(await this.ask(at)), address).href;
      const body = new URLSearchParams({ prompt, login: this.#login, password: 'any' });
      at = new URL(locationOf(await this.ask(interaction, { method: 'POST', body })), address).href;
    }
    return locationOf(await this.ask(at));
  }

  /**
   * Signs in from beginning to end.
   * @returns the gateway's response to the callback
   */
  async signIn(issuer: string, page?: string): Promise<Answer> {
    return this.ask(await this.passIssuer(await this.begin(issuer, page)));
  }

  #cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export function locationOf({ status, headers, text }: Answer): string {
  const location = headers.get('location');
  if (location === null) throw new Error(`no redirect, but ${status}: ${text}`);
  return location;
}
