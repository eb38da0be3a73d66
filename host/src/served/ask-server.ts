import { isObject } from '@svc/contracts';
import { CliError } from '../errors/cli-error.ts';
import { printable } from '../terminal/terminal.ts';
import { nextPage } from './next-page.ts';

export const SERVER_OPTION = { type: 'string', default: 'http://127.0.0.1:8000' } as const;
/** Hints for requests that only operators may send. */
export const ADMIN_HINTS: Hints = { refused: 'SVC_KEY must be an API key with the role admin', away: 'is the server running?' };
export const AUDIT_HINTS: Hints = { refused: 'SVC_KEY must be an API key with the role audit', away: 'is the server running?' };

interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path with its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Texts to show if the server refuses the key (which key is needed) or cannot be reached. */
export interface Hints {
  readonly refused: string;
  readonly away: string;
}

export interface ServerAnswer {
  readonly ok: boolean;
  readonly status: number;
  /** Null if the body is not JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
  /** Path of the next page of a list, or null. */
  readonly next: string | null;
}

/**
 * Sends a request to a running server, with the key in SVC_KEY.
 * @returns the JSON body of the response; null if it is not JSON
 * @throws {CliError} if the server cannot be reached, and with the server's error for any status but 2xx
 */
export async function askServer(server: string, question: Question, hints: Hints): Promise<unknown> {
  const answer = await answerOf(server, question, hints);
  if (!answer.ok) throw refusal(server, answer, hints);
  return answer.body;
}

/**
 * As {@link askServer}, but also returns refusals.
 * @throws {CliError} if the server cannot be reached
 */
export async function answerOf(server: string, question: Question, hints: Pick<Hints, 'away'>): Promise<ServerAnswer> {
  const { address, response } = await sendTo(server, question, hints);
  const next = nextPage(response.headers, address);
  const text = await textIn(server, response);
  return {
    ok: response.ok,
    status: response.status,
    body: jsonOf(text),
    text,
    headers: response.headers,
    next: next && next.pathname + next.search,
  };
}

/** Sends a request and returns the response when its headers have arrived. @throws {CliError} if the server cannot be reached, or `signal` aborts */
export async function sendTo(
  server: string,
  { method, path, body, signal }: Question,
  { away }: Pick<Hints, 'away'>,
): Promise<{ address: URL; response: Response }> {
  if (!/^https?:\/\//i.test(server) || URL.parse(server) === null)
    throw new CliError(`--server ${server} is not an http:// or https:// URL`, 2);
  const key = process.env.SVC_KEY;
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const given = { ...(body !== undefined && { body: JSON.stringify(body) }), ...(signal && { signal }) };
  // A redirect counts as a refusal, because the key must not be sent to another server.
  const address = new URL(path, server);
  const response = await fetch(address, { method, headers, redirect: 'manual', ...given }).catch(() => {
    throw new CliError(`cannot reach ${server}: ${away}`);
  });
  return { address, response };
}

/** The body of a response, while it arrives. @throws {CliError} if the connection is closed before its end */
export async function* partsIn(server: string, { body }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch {
    throw new CliError(`${server} closed the connection before the response was complete`);
  }
}

/** The whole body. @throws {CliError} as {@link partsIn} does */
export async function bytesIn(server: string, response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of partsIn(server, response)) parts.push(part);
  return Buffer.concat(parts);
}

/** The whole body. @throws {CliError} as {@link partsIn} does */
export async function textIn(server: string, response: Response): Promise<string> {
  return new TextDecoder().decode(await bytesIn(server, response));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The pages of a list, starting with the first. @throws {CliError} as {@link askServer} does */
export async function* pagesOf(server: string, first: string, hints: Hints): AsyncGenerator<unknown> {
  for (let path: string | null = first; path !== null; ) {
    const answer: ServerAnswer = await answerOf(server, { method: 'GET', path }, hints);
    if (!answer.ok) throw refusal(server, answer, hints);
    yield answer.body;
    path = answer.next;
  }
}

/** The path of a DELETE request, with the reason if there is one. */
export function withReason(path: string, reason: string | undefined): string {
  return reason === undefined ? path : `${path}?${new URLSearchParams({ reason })}`;
}

/** The server's error, with its code, as one line. */
export function refusal(server: string, { status, body }: Pick<ServerAnswer, 'status' | 'body'>, { refused }: Hints): CliError {
  const { code, detail } = isObject(body) ? body : {};
  const why = `${typeof code === 'string' ? ` ${printable(code)}` : ''}${detail === undefined ? '' : `: ${printable(String(detail))}`}`;
  const isOfKey = status === 401 || status === 403;
  const hint = process.env.SVC_KEY === undefined ? 'SVC_KEY is not set' : refused;
  return new CliError(`${server} answered ${status}${why}${isOfKey ? `; ${hint}` : ''}`);
}

/** As {@link refusal}, of a response whose body nobody has read. */
export async function refusalIn(server: string, response: Response, hints: Hints): Promise<CliError> {
  const body: unknown = await response.json().catch(() => null);
  return refusal(server, { status: response.status, body }, hints);
}

/** The error for a response in an unknown form. */
export function notOurs(server: string): CliError {
  return new CliError(`${server} sent an unexpected response: check that it is a gateway of this release`);
}
