import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { type Provider, ProviderError } from '@svc/sdk';
import { fakeCallContext, fakePluginDeps, providerConformance } from '@svc/sdk/testing';
import definition from './index.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** The provider, connected to a model server with this request handler. */
async function before(answer: RequestListener): Promise<Provider> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return definition.create({ url: `http://127.0.0.1:${port}/ask` }, fakePluginDeps({ fetch }));
}

const answering = (body: string, status = 200): Promise<Provider> =>
  before((_request, response) => void response.writeHead(status).end(body));

describe('conformance', () => {
  const cases = providerConformance({
    create: () => answering(JSON.stringify({ text: 'A few words: naïve café.', input_tokens: 7, output_tokens: 5 })),
    model: 'm',
    stalled: async () => {
      const { promise: reached, resolve } = Promise.withResolvers<void>();
      return { provider: await before(() => resolve()), reached };
    },
  });
  for (const { name, run } of cases) it(name, run);
});

describe('reports failures by their kind', () => {
  for (const [status, body, kind] of [
    [400, '', 'invalid_request'],
    [401, '', 'configuration'],
    [429, '', 'rate_limited'],
    [503, '', 'unavailable'],
    [200, 'no JSON', 'malformed'],
    [200, '{"text": 7}', 'malformed'],
  ] as const) {
    it(`${status} ${body} is ${kind}`, async () => {
      const provider = await answering(body, status);
      const call = provider.complete({ model: 'm', messages: [] }, fakeCallContext());
      await assert.rejects(call, (error) => error instanceof ProviderError && error.kind === kind);
    });
  }
});
