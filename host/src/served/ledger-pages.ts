import { type Checkpoint, openNote, parseCheckpoint, recordsIn } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { reasonOf } from '../errors/malformed-note.ts';
import { AUDIT_HINTS, bytesIn, type Hints, refusalIn, sendTo, textIn } from './ask-server.ts';
import { nextPage } from './next-page.ts';

/** The paths of a running server's logs. */
export const LEDGER = '/v1/audit/ledger';
export const OPERATIONS = '/v1/audit/operations';

/**
 * The end of a running server's log according to the server's checkpoint, which is requested before the records. Its signature is not verified,
 * because the server itself made it.
 * @returns a function that returns the checkpoint, or throws {CliError} if the server gave none. Null: the server keeps no such log
 */
export async function servedCheckpoint(url: string, log: string): Promise<(() => Promise<Checkpoint>) | null> {
  const { response } = await sendTo(url, { method: 'GET', path: `${log}/checkpoint` }, AUDIT_HINTS);
  if (response.status === 404) return null;
  const failure = response.ok ? null : await failureOf(url, response);
  const note = failure === null ? await textIn(url, response) : '';
  return async () => {
    // The server signs nothing while a record is altered. The records show which one is.
    if (failure !== null) throw failure;
    try {
      return parseCheckpoint(openNote(note, []).text);
    } catch (error) {
      throw new CliError(`${url} did not return a checkpoint: ${reasonOf(error)}`);
    }
  };
}

/** A checkpoint or a part of the ledger. @throws {CliError} */
export async function ask(url: string, path: string): Promise<Response> {
  const { response } = await sendTo(url, { method: 'GET', path }, AUDIT_HINTS);
  if (!response.ok) throw await failureOf(url, response);
  return response;
}

async function failureOf(url: string, response: Response): Promise<CliError> {
  return response.status === 503
    ? new CliError(`${url} answered 503: the server cannot sign a checkpoint now; try again later`)
    : refusalIn(url, response, AUDIT_HINTS);
}

/** The records of a log of a running server, page by page. @param first the path of the first page */
export async function* recordPages(url: string, first: string, hints: Hints): AsyncGenerator<readonly Uint8Array[]> {
  for (let path: string | null = first; path !== null; ) {
    const { address, response }: Awaited<ReturnType<typeof sendTo>> = await sendTo(url, { method: 'GET', path }, hints);
    if (!response.ok) throw await refusalIn(url, response, hints);
    const records = recordsIn(await bytesIn(url, response));
    if (records === null) throw new CliError(`${url} did not return a page of records`);
    yield records;
    const next = nextPage(response.headers, address);
    path = next && next.pathname + next.search;
  }
}
