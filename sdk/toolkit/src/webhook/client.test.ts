import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fakePluginDeps } from '@svc/sdk/testing';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { WebhookClient, type WebhookOptions } from './client.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const deps = fakePluginDeps({ clock: { now: () => Date.now(), monotonic: () => 0 } });
const NEVER = new AbortController().signal;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

function clientOf(options: Partial<WebhookOptions> & { url: string }): WebhookClient {
  const client = new WebhookClient({ secret: SECRET, allow_private: false, max_response_bytes: 1000, ...options }, deps);
  closing.unshift(() => client.close());
  return client;
}

describe('a post', () => {
  it('is signed, and returns the response', async () => {
    let verified: unknown;
    const server = createServer(async (request, response) => {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers;
      const headers = { 'webhook-id': `${id}`, 'webhook-timestamp': `${at}`, 'webhook-signature': `${signature}` };
      verified = [request.url, new Webhook(SECRET).verify(await text(request), headers)];
      response.end('fine');
    });
    const port = await listening(server);
    const client = clientOf({ url: `http://127.0.0.1:${port}/check?a=1`, allow_private: true });
    expect(await client.post('msg_1', '{"a":"ü"}', NEVER)).toMatchObject({ status: 200, text: 'fine' });
    expect(verified).toEqual(['/check?a=1', { a: 'ü' }]);
  });

  it.each([301, 302, 307, 308])('follows no redirect (%d)', async (status) => {
    let asked = 0;
    const port = await listening(
      createServer((_, response) => {
        asked += 1;
        response.writeHead(status, { location: '/elsewhere' }).end('moved');
      }),
    );
    const client = clientOf({ url: `http://127.0.0.1:${port}`, allow_private: true });
    expect(await client.post('msg_1', '{}', NEVER)).toMatchObject({ status, text: '' });
    expect(asked).toBe(1);
  });

  it.each([
    ['with a length', (size: number) => ({ 'content-length': String(size) })],
    ['without', () => ({})],
  ])('aborts an answer that is too long: %s', async (_, headersOf) => {
    const port = await listening(
      createServer((_request, response) => response.writeHead(200, headersOf(1001)).end('x'.repeat(1001))),
    );
    const client = clientOf({ url: `http://127.0.0.1:${port}`, allow_private: true });
    await expect(client.post('msg_1', '{}', NEVER)).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('ends when its signal aborts, before the head and within the body', async () => {
    const asked: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
    let count = 0;
    const port = await listening(
      createServer((request, response) => {
        if (count === 1) response.write('begin');
        asked[count++]?.resolve();
        request.on('close', () => response.destroy());
      }),
    );
    const client = clientOf({ url: `http://127.0.0.1:${port}`, allow_private: true });
    for (const one of asked) {
      const abort = new AbortController();
      const posting = client.post('msg_1', '{}', abort.signal);
      await one.promise;
      abort.abort();
      await expect(posting).rejects.toThrow();
    }
  });
});

describe('a private address', () => {
  it.each([
    ['http://policy.example', 'https'],
    ['https://127.0.0.1', 'allow_private'],
    ['https://[::1]:8443', 'allow_private'],
    ['https://0x7f000001', 'allow_private'],
    ['https://169.254.169.254/latest', 'allow_private'],
    ['https://[::ffff:10.1.2.3]', 'allow_private'],
    ['https://user:pass@policy.example', 'user name'],
    ['https://policy.example/#x', 'fragment'],
    ['ftp://policy.example', 'https'],
    ['not a url', 'https'],
  ])('%s is refused before any call', (url, remedy) => {
    expect(() => clientOf({ url })).toThrow(remedy);
  });

  it('behind a host name gets no connection', async () => {
    let connections = 0;
    const port = await listening(
      createTcpServer((socket) => {
        connections += 1;
        socket.destroy();
      }),
    );
    const client = clientOf({ url: `https://localhost:${port}` });
    await expect(client.post('msg_1', '{}', NEVER)).rejects.toMatchObject({ code: 'PRIVATE_ADDRESS' });
    expect(connections).toBe(0);
  });
});

it('a secret is checked when the client is opened, not when it is created', () => {
  const client = clientOf({ url: 'https://policy.example', secret: 'secret://env/HOOK#value' });
  expect(() => client.open()).toThrow(/^secret: /);
});
