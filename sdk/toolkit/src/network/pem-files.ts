import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { isUnresolved } from './options.ts';

/** Options of Node's TLS. */
export interface PemTexts {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

type Part = keyof PemTexts;

/** The options for each part, by name. */
export type PemSources = Readonly<Partial<Record<Part, readonly [option: string, value: string | undefined]>>>;

/** An error in certificates or keys. The message names the option and the remedy, never a value. The code is for logs. */
export class PemError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'PemError';
    this.code = code;
  }
}

const isText = (value: string): boolean => value.includes('-----BEGIN ');

/**
 * Certificates and keys, given as PEM or by path. Files are read again when they change. If the new ones are invalid, the previous ones stay in use.
 */
export class PemFiles {
  readonly #sources: readonly (readonly [Part, string, string])[];
  readonly #directory: string;
  readonly #onProblem: (error: PemError) => void;
  #seen = '';
  #current: Promise<PemTexts> | null = null;

  /**
   * Reads nothing yet.
   * @param directory folder from which relative paths start
   * @param onProblem called with the reason when changed files are not used
   */
  constructor(sources: PemSources, directory: string, onProblem: (error: PemError) => void) {
    this.#sources = Object.entries(sources).flatMap(([part, [option, value]]) =>
      value === undefined ? [] : [[part as Part, option, value] as const],
    );
    this.#directory = directory;
    this.#onProblem = onProblem;
    const [cert, key] = [sources.cert, sources.key];
    for (const [one, other] of [[cert, key] as const, [key, cert] as const]) {
      if (one?.[1] !== undefined && other !== undefined && other[1] === undefined)
        throw new PemError('TLS_INCOMPLETE', `${other[0]}: is missing, but ${one[0]} is set; set both`);
    }
  }

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /**
   * Checks that all of them, except unresolved ones, can be read and match each other.
   * @throws {PemError}
   */
  check(): void {
    if (this.#sources.some(([, , value]) => isUnresolved(value))) return;
    const texts = this.#sources.map(([part, option, value]) => {
      try {
        return [part, isText(value) ? value : readFileSync(resolve(this.#directory, value), 'utf8')] as const;
      } catch (error) {
        throw unreadable(option, error);
      }
    });
    const read: PemTexts = Object.fromEntries(texts);
    this.#assertFit(read);
    this.#noteExpired(read);
  }

  /**
   * The current certificates and keys.
   * @throws {PemError} if they have never been valid
   */
  async current(): Promise<PemTexts> {
    const seen = (await Promise.all(this.#sources.map(([, , value]) => this.#stateOf(value)))).join();
    if (this.#current === null || seen !== this.#seen) {
      const former = this.#current;
      this.#seen = seen;
      this.#current = this.#read().catch((error: PemError) => {
        this.#onProblem(error);
        if (former === null) this.#current = null;
        return former ?? Promise.reject(error);
      });
    }
    return this.#current;
  }

  /** A link that now points to another file counts as a changed file. Kubernetes secrets change in this way. */
  async #stateOf(value: string): Promise<string> {
    if (isText(value)) return '';
    const found = await stat(resolve(this.#directory, value)).catch(() => null);
    return found === null ? 'none' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
  }

  async #read(): Promise<PemTexts> {
    const texts = await Promise.all(
      this.#sources.map(async ([part, option, value]) => {
        if (isText(value)) return [part, value] as const;
        const text = await readFile(resolve(this.#directory, value), 'utf8').catch((error: unknown) => {
          throw unreadable(option, error);
        });
        return [part, text] as const;
      }),
    );
    const read: PemTexts = Object.fromEntries(texts);
    this.#assertFit(read);
    this.#noteExpired(read);
    return read;
  }

  #assertFit(texts: PemTexts): void {
    for (const [part, option] of this.#sources) {
      const what = part === 'key' ? /-----BEGIN (?:\w+ )?PRIVATE KEY-----/ : /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/;
      if (!what.test(texts[part] ?? ''))
        throw new PemError(
          'TLS_NOT_PEM',
          `${option}: is not a ${part === 'key' ? 'private key without a password' : 'certificate'} in PEM format`,
        );
    }
    const optionOf = (part: Part): string => this.#sources.find(([one]) => one === part)?.[1] ?? part;
    for (const part of ['ca', 'cert'] as const) {
      for (const [pem] of (texts[part] ?? '').matchAll(CERTIFICATE)) {
        // Node's TLS silently skips a certificate that it cannot read.
        if (certificateOf(pem) === null)
          throw new PemError('TLS_NOT_PEM', `${optionOf(part)}: contains a certificate that cannot be read`);
      }
    }
    try {
      createSecureContext(texts);
    } catch (error) {
      throw /mismatch/i.test(`${Reflect.get(Object(error), 'code')}`)
        ? new PemError(
            'TLS_KEY_MISMATCH',
            `${optionOf('key')}: does not match ${optionOf('cert')}; set the private key of that certificate`,
          )
        : new PemError('TLS_NOT_PEM', `${optionOf('key')}: cannot be read by OpenSSL; use a key without a password`);
    }
  }

  /** Logs an expired client certificate. The server decides whether to accept it. */
  #noteExpired({ cert = '' }: PemTexts): void {
    const [first = ''] = cert.match(CERTIFICATE) ?? [];
    const until = certificateOf(first)?.validToDate;
    if (until === undefined || until.getTime() > Date.now()) return;
    const option = this.#sources.find(([part]) => part === 'cert')?.[1];
    this.#onProblem(new PemError('TLS_EXPIRED', `${option}: expired on ${until.toISOString().slice(0, 10)}; renew it`));
  }
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

function certificateOf(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function unreadable(option: string, error: unknown): PemError {
  const code: unknown = Reflect.get(Object(error), 'code');
  return new PemError('TLS_FILE_UNREADABLE', `${option}: cannot read the file (${typeof code === 'string' ? code : 'unknown'})`);
}
