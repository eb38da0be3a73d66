import { CliError } from '../errors/cli-error.ts';

interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  /** What may help where the server refuses, or cannot be reached. */
  readonly hints: { readonly refused: string; readonly away: string };
}

/** What a running server answers to the key in SVC_KEY, as JSON; null where it is none. @throws {CliError} for any other status than 2xx */
export async function askServer(url: string, { method, path, body, hints }: Asked): Promise<unknown> {
  if (URL.parse(url) === null) throw new CliError(`--server ${url} is not a URL`, 2);
  const key = process.env.SVC_KEY;
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new CliError(`${url} cannot be reached: ${hints.away}`);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? `: ${answer.detail}` : '';
  throw new CliError(`${url} answered ${response.status}${detail}; ${hints.refused}`);
}
