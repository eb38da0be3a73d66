import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { recordsIn } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { type Hints, refusal } from '../served/ask-server.ts';
import { nextPage } from '../served/next-page.ts';

const HINTS: Hints = {
  refused: 'SVC_KEY must be an API key with the role audit that is not limited to routes or namespaces',
  away: 'is the server running?',
};
const NOT_FOUND = 404;

/** What a running server returns, byte for byte. Every method throws {@link CliError} with the server's error. */
export class PackSource {
  readonly server: string;
  readonly #key: string | undefined;

  constructor(server: string, key: string | undefined) {
    if (!/^https?:\/\//.test(server) || URL.parse(server) === null)
      throw new CliError(`--server ${server} is not an http:// or https:// URL`, 2);
    this.server = server;
    this.#key = key;
  }

  async #ask(address: URL): Promise<Response> {
    const headers: Record<string, string> = this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` };
    // A redirect counts as a refusal, because the key must not be sent to another server.
    return fetch(address, { headers, redirect: 'manual' }).catch(() => {
      throw new CliError(`cannot reach ${this.server}: ${HINTS.away}`);
    });
  }

  async #refusal(response: Response): Promise<CliError> {
    const body: unknown = await response.json().catch(() => null);
    return refusal(this.server, { status: response.status, body }, HINTS);
  }

  async #read(path: string): Promise<Response> {
    const response = await this.#ask(new URL(path, this.server));
    if (!response.ok) throw await this.#refusal(response);
    return response;
  }

  async text(path: string): Promise<string> {
    return (await this.#read(path)).text();
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.#read(path)).arrayBuffer());
  }

  /** Null: the server has none (404). */
  async textOrNull(path: string): Promise<string | null> {
    const response = await this.#ask(new URL(path, this.server));
    if (response.status === NOT_FOUND) return null;
    if (!response.ok) throw await this.#refusal(response);
    return response.text();
  }

  /** Appends a response to a file while it arrives. */
  async append(path: string, file: FileHandle): Promise<void> {
    const { body } = await this.#read(path);
    if (body === null) return;
    for await (const part of body) await file.appendFile(part);
  }

  /** The records of a log after `since_seq`, page by page. */
  async *records(log: string, since_seq: number, limit: number): AsyncGenerator<readonly Uint8Array[]> {
    const first = `${log}?${new URLSearchParams({ since_seq: String(since_seq), limit: String(limit) })}`;
    for (let next: URL | null = new URL(first, this.server); next !== null; ) {
      const response: Response = await this.#ask(next);
      if (!response.ok) throw await this.#refusal(response);
      const records = recordsIn(new Uint8Array(await response.arrayBuffer()));
      if (records === null) throw new CliError(`${this.server} did not return a page of records`);
      yield records;
      next = nextPage(response.headers, next);
    }
  }
}

/** Opens a new file, and closes it after `work`. */
export async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'wx+');
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}
