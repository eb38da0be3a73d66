import { type Checkpoint, openNote, parseCheckpoint, recordsIn } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { reasonOf } from '../errors/malformed-note.ts';
import { nextPage } from './next-page.ts';

/** The paths of a running server's logs. */
export const LEDGER = '/v1/audit/ledger';
export const OPERATIONS = '/v1/audit/operations';

/**
 * The end of a running server's log according to the server's checkpoint, which is requested before the records. Its signature is not verified,
 * because the server itself made it.
 * @returns a function that returns the checkpoint, or throws {CliError} if the server gave none. Null: the server keeps no such log
 */
export async function servedCheckpoint(
  url: string,
  key: string | undefined,
  log: string,
): Promise<(() => Promise<Checkpoint>) | null> {
  const response = await ask(new URL(`${log}/checkpoint`, url), key, url);
  if (response.status === 404) return null;
  const note = await response.text();
  return async () => {
    // The server signs nothing while a record is altered. The records show which one is.
    assertAnswered(response, url);
    try {
      return parseCheckpoint(openNote(note, []).text);
    } catch (error) {
      throw new CliError(`${url} did not return a checkpoint: ${reasonOf(error)}`);
    }
  };
}

/** @throws {CliError} if the server cannot be reached */
export async function ask(address: URL, key: string | undefined, url: string): Promise<Response> {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return fetch(address, { headers }).catch(() => {
    throw new CliError(`cannot reach ${url}: is the server running?`);
  });
}

/** For a checkpoint or a part of the log. @throws {CliError} */
export function assertAnswered(response: Response, url: string): void {
  if (response.status === 503)
    throw new CliError(`${url} answered 503: the server cannot sign a checkpoint now; try again later`);
  if (!response.ok) throw refused(url, response.status);
}

export function refused(url: string, status: number): CliError {
  return new CliError(`${url} answered ${status}; set SVC_KEY to a key with the role audit`);
}

/** The records of a log of a running server, page by page. */
export async function* pagesOf(url: string, key: string | undefined, log: string): AsyncGenerator<readonly Uint8Array[]> {
  for (let next: URL | null = new URL(log, url); next !== null; ) {
    const response: Response = await ask(next, key, url);
    if (!response.ok) throw refused(url, response.status);
    const records = recordsIn(new Uint8Array(await response.arrayBuffer()));
    if (records === null) throw new CliError(`${url} did not return a ledger page`);
    yield records;
    next = nextPage(response.headers, next);
  }
}
