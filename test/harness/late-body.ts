import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, parsed } from './gateway.ts';

/** A request whose caller was let in, and whose body is not there yet. @returns sends the body */
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
  // The server says so in the turn in which it looks at the head.
  const goOn = once(asking, 'continue');
  asking.flushHeaders();
  await goOn;
  return async (body) => {
    asking.end(JSON.stringify(body));
    const [response] = await answered;
    return { status: response.statusCode, body: parsed(await text(response)) };
  };
}
