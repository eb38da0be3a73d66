import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { asGroup, killGroup } from './process-group.ts';

const MAIN = join(import.meta.dirname, '..', 'fixtures', 'issuer.js');
const CLIENT = { client_id: 'gateway', client_secret: 'the secret of the client' };
const ALGORITHM = 'RS256';

export interface IssuerOptions {
  /** Groups of each account, and of the client `gateway`. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

/** An OpenID Connect provider (`oidc-provider`) whose keys the test knows, so that the test can also make invalid tokens. */
export class IssuerProcess {
  static readonly AUDIENCE = 'svc';
  readonly client = CLIENT;
  readonly #options: IssuerOptions;
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  /** Newest first, because the provider signs with the first. */
  #keys: SigningKey[] = [];
  url = '';

  private constructor(options: IssuerOptions) {
    this.#options = options;
  }

  static async start(options: IssuerOptions): Promise<IssuerProcess> {
    const issuer = new IssuerProcess(options);
    issuer.#keys = [await newKey('key-1')];
    await issuer.start();
    return issuer;
  }

  /** Starts it, at the previous URL if it had one. */
  async start(): Promise<void> {
    const settings = {
      port: this.url === '' ? 0 : Number(new URL(this.url).port),
      audience: IssuerProcess.AUDIENCE,
      jwks: { keys: this.#keys.map(({ jwk }) => jwk) },
      groups: this.#options.groups,
      client: {
        ...CLIENT,
        redirect_uris: ['127.0.0.1', 'localhost'].map((host) => `http://${host}/auth/callback`),
        response_types: ['code'],
      },
    };
    const child = spawn(process.execPath, [MAIN, JSON.stringify(settings)], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = asGroup(child);
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`the issuer ended with ${code}`)));
    });
  }

  /** Stops it. Its URL no longer responds. */
  async stop(): Promise<void> {
    if (this.#child !== undefined) await killGroup(this.#child);
  }

  /** Replaces its signing key. The old key is gone. */
  async rotate(): Promise<void> {
    await this.stop();
    this.#keys = [await newKey(`key-${Date.now()}`)];
    await this.start();
  }

  /** An access token that the provider issues to its client. */
  async token(): Promise<string> {
    const { client_id, client_secret } = CLIENT;
    const answer = await fetch(`${this.url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client_id}:${encodeURIComponent(client_secret)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: 'urn:svc' }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    return access_token;
  }

  get key(): SigningKey {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('the issuer has no key');
    return key;
  }

  /** Claims of a valid token for this account. `undefined` omits a claim. */
  claims(sub: string, changes: Readonly<Record<string, unknown>> = {}): JWTPayload {
    const now = Math.floor(Date.now() / 1000);
    const groups = this.#options.groups[sub] ?? [];
    return { iss: this.url, aud: IssuerProcess.AUDIENCE, sub, groups, iat: now, exp: now + 600, ...changes };
  }

  /** Signs with the issuer's key, unless another one is given. */
  sign(claims: JWTPayload, { kid = this.key.kid, privateKey = this.key.privateKey } = {}): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' }).sign(privateKey);
  }
}

export async function newKey(kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return { kid, privateKey, publicKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: ALGORITHM, use: 'sig' } };
}
