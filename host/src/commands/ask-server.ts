import { CliError } from '../errors/cli-error.ts';

export const SERVER_OPTION = { type: 'string', default: 'http://127.0.0.1:8000' } as const;
/** For what only operators may do. */
export const ADMIN_HINTS: Hints = { refused: 'SVC_KEY must be an API key with the role admin', away: 'is the server running?' };

/** Of the same server: the key goes to no other. */
const NEXT = /<(\/[^/>][^>]*)>;\s*rel="next"/;

interface Question {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Said where a server refuses the key (which one is needed), and where nobody answers. */
export interface Hints {
  readonly refused: string;
  readonly away: string;
}

export interface ServerAnswer {
  readonly ok: boolean;
  readonly status: number;
  /** Null where it is not JSON. */
  readonly body: unknown;
  /** Path of the next page of a list; null: there is none. */
  readonly next: string | null;
}

/**
 * Asks a running server, with the key in SVC_KEY.
 * @returns the body of its answer, null unless that is JSON
 * @throws {CliError} if it cannot be reached, and for any status but 2xx, with what the server said
 */
export async function askServer(server: string, question: Question, hints: Hints): Promise<unknown> {
  const answer = await answerOf(server, question, hints);
  if (!answer.ok) throw refusal(server, answer, hints);
  return answer.body;
}

/** As {@link askServer}, for whoever reads refusals. @throws {CliError} if it cannot be reached */
export async function answerOf(
  server: string,
  { method, path, body }: Question,
  { away }: Pick<Hints, 'away'>,
): Promise<ServerAnswer> {
  if (URL.parse(server) === null) throw new CliError(`--server ${server} is not a valid URL`, 2);
  const key = process.env.SVC_KEY;
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  // The key goes to no other server: a redirect is an answer like any refusal.
  const response = await fetch(new URL(path, server), { method, headers, redirect: 'manual', ...given }).catch(() => {
    throw new CliError(`cannot reach ${server}: ${away}`);
  });
  const [, next = null] = NEXT.exec(response.headers.get('link') ?? '') ?? [];
  return { ok: response.ok, status: response.status, body: await response.json().catch(() => null), next };
}

/** The path of a DELETE with the reason that was given, if any. */
export function withReason(path: string, reason: string | undefined): string {
  return reason === undefined ? path : `${path}?${new URLSearchParams({ reason })}`;
}

/** What a server refused, in one line. */
export function refusal(server: string, { status, body }: ServerAnswer, { refused }: Hints): CliError {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? `: ${body.detail}` : '';
  const isOfKey = status === 401 || status === 403;
  const hint = process.env.SVC_KEY === undefined ? 'SVC_KEY is not set' : refused;
  return new CliError(`${server} answered ${status}${detail}${isOfKey ? `; ${hint}` : ''}`);
}

/** For an answer of another form. */
export function notOurs(server: string): CliError {
  return new CliError(`${server} sent an unexpected response: check that it is a gateway of this release`);
}
