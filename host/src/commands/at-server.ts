import { CliError } from '../errors/cli-error.ts';

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Path of the API. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Said after an answer that is an error: which key is needed. */
  readonly hint: string;
  /** Said where nobody answers. */
  readonly unreachable: string;
}

/**
 * Asks a running server, with the key in SVC_KEY.
 * @returns the body of its answer, null unless that is JSON
 * @throws {CliError} with what the server said
 */
export async function askServer(url: string, { method, path, body, hint, unreachable }: Asked): Promise<unknown> {
  if (URL.parse(url) === null) throw new CliError(`--server ${url} is not a URL`, 2);
  const key = process.env.SVC_KEY;
  const headers: Record<string, string> = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(new URL(path, url), { method, headers, redirect: 'error', ...sent }).catch(() => {
    throw new CliError(`${url} cannot be reached: ${unreachable}`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? `: ${answer.detail}` : '';
  throw new CliError(`${url} answered ${response.status}${detail}; ${hint}`);
}
