import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@svc/contracts';

export type Webhook = Awaited<ReturnType<typeof startWebhook>>;

/** A webhook that allows everything, and remembers what it was asked. */
export async function startWebhook() {
  const asked: JsonObject[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => (text += piece));
    request.on('end', () => {
      const body = JSON.parse(text) as JsonObject;
      asked.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body.input === undefined ? { verdict: 'allow' } : { result: true }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, url, close: () => new Promise((done) => server.close(done)) };
}
