import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, parsed } from './gateway.ts';

/**
 * Sends a request whose caller is admitted before its body is sent.
 * @returns a function that sends the body
 */
export async function lateBody(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<(body: unknown) => Promise<Pick<Answer, 'status' | 'body'>>> {
  const asking = request(url, {
    method,
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...headers, expect: '100-continue' },
  });
  const answered = once(asking, 'response');
  // The server answers this when it reads the headers.
  const goOn = once(asking, 'continue');
  asking.flushHeaders();
  await goOn;
  return async (body) => {
    asking.end(JSON.stringify(body));
    const [response] = await answered;
    return { status: response.statusCode, body: parsed(await text(response)) };
  };
}
