import { CliError } from '../errors/cli-error.ts';

interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

export interface ServerAnswer {
  readonly ok: boolean;
  readonly status: number;
  /** Null where it is not JSON. */
  readonly body: unknown;
}

/** Asks a running server, with the key in SVC_KEY. @throws {CliError} if it cannot be reached */
export async function askServer(server: string, { method, path, body }: Question, otherwise: string): Promise<ServerAnswer> {
  if (URL.parse(server) === null) throw new CliError(`${server} is not a URL`, 2);
  const key = process.env.SVC_KEY;
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(new URL(path, server), { method, headers, redirect: 'error', ...given }).catch(() => {
    throw new CliError(`${server} cannot be reached: ${otherwise}`);
  });
  return { ok: response.ok, status: response.status, body: await response.json().catch(() => null) };
}

/** What a server refused, in one line. */
export function refusal(server: string, { status, body }: ServerAnswer, advice: string): CliError {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? `: ${body.detail}` : '';
  return new CliError(`${server} answered ${status}${detail}; ${advice}`);
}
