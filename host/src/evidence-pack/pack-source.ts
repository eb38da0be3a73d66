import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { bytesIn, type Hints, partsIn, refusalIn, sendTo, textIn } from '../served/ask-server.ts';
import { recordPages } from '../served/ledger-pages.ts';

const HINTS: Hints = {
  refused: 'SVC_KEY must be an API key with the role audit that is not limited to routes or namespaces',
  away: 'is the server running?',
};
const NOT_FOUND = 404;

/** What a running server returns, byte for byte. Every method throws {@link CliError} with the server's error. */
export class PackSource {
  readonly server: string;

  constructor(server: string) {
    this.server = server;
  }

  async #send(path: string): Promise<Response> {
    return (await sendTo(this.server, { method: 'GET', path }, HINTS)).response;
  }

  async #checked(response: Response): Promise<Response> {
    if (response.ok) return response;
    throw await refusalIn(this.server, response, HINTS);
  }

  async bytes(path: string): Promise<Uint8Array> {
    return bytesIn(this.server, await this.#checked(await this.#send(path)));
  }

  async text(path: string): Promise<string> {
    return textIn(this.server, await this.#checked(await this.#send(path)));
  }

  /** Null: the server has none (404). */
  async textOrNull(path: string): Promise<string | null> {
    const response = await this.#send(path);
    if (response.status === NOT_FOUND) return null;
    return textIn(this.server, await this.#checked(response));
  }

  /** Appends a response to a file while it arrives. */
  async append(path: string, file: FileHandle): Promise<void> {
    const response = await this.#checked(await this.#send(path));
    for await (const part of partsIn(this.server, response)) await file.appendFile(part);
  }

  /** The records of a log after `since_seq`, page by page. */
  records(log: string, since_seq: number, limit: number): AsyncGenerator<readonly Uint8Array[]> {
    return recordPages(
      this.server,
      `${log}?${new URLSearchParams({ since_seq: String(since_seq), limit: String(limit) })}`,
      HINTS,
    );
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
