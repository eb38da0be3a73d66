import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { JsonObject } from '@svc/contracts';
import { fakeClock, fakeLogger } from '@svc/sdk/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Issuer } from '../../host/src/oidc/issuer.ts';
import { Collector } from '../fixtures/collector.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { hasOpenssl, type Pair, TestIssuer } from '../harness/certificates.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { skipsProxy, TestProxy } from '../harness/tinyproxy.ts';
import { until } from '../harness/until.ts';

const ROUTE = { provider: 'far', model: 'm', pipeline: { ingress: [], egress: [] } };
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function gatewayWith(config: JsonObject, env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await TestGateway.start({ config: echoConfig(config), env, here: true });
  open.push(() => gateway.dispose());
  return gateway;
}

async function proxyWith(...lines: string[]): Promise<TestProxy> {
  const proxy = await TestProxy.start(...lines);
  open.push(() => proxy.dispose());
  return proxy;
}

/** What keeps connections from coming about, as the log says it. */
const reasons = ({ output }: TestGateway): string[] =>
  [...output.matchAll(/"event":"connection_failed","reason":"(\w+)"/g)].map(([, reason = '']) => reason);

/** A model server over TLS; `seen` are the names of the client certificates. */
async function secureModel(pair: Pair, ca?: string) {
  const seen: string[] = [];
  const server = createServer({ ...pair, ...(ca !== undefined && { ca, requestCert: true }) }, (request, response) => {
    seen.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN?.toString() ?? '');
    const message = { role: 'assistant', content: 'hello' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  return { seen, port: (server.address() as AddressInfo).port };
}

describe.skipIf(skipsProxy)('a proxy', () => {
  it('carries plain calls of a provider, with its user and password; without them the log says what to do', async () => {
    const proxy = await proxyWith('BasicAuth svc hunter22');
    const upstream = await startUpstream();
    open.push(() => upstream.close());
    const address = new URL(proxy.url);
    address.username = 'svc';
    address.password = 'hunter22';
    const far = { type: 'openai', base_url: upstream.url };
    const gateway = await gatewayWith(
      {
        providers: { far: { ...far, proxy: 'secret://env/PROXY#url' }, unknown: { ...far, proxy: proxy.url } },
        routes: { far: ROUTE, unknown: { ...ROUTE, provider: 'unknown' } },
      },
      { PROXY: address.href },
    );
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(200);
    expect(proxy.asked).toEqual([`POST ${upstream.url}/chat/completions`]);
    expect((await gateway.chat('hello', { model: 'unknown' })).status).toBe(502);
    expect(reasons(gateway)).toEqual(['PROXY_HTTP_407']);
    expect(gateway.output).toContain('the proxy requires a user and password');
    expect(gateway.output).not.toContain('hunter22');
  });

  it('of the environment is used, unless NO_PROXY names the host', async () => {
    const proxy = await proxyWith();
    const far = (host: string) => ({ type: 'openai', base_url: `https://${host}/v1` });
    const gateway = await gatewayWith(
      {
        providers: { far: far('model.invalid'), near: far('near.invalid') },
        routes: { far: ROUTE, near: { ...ROUTE, provider: 'near' } },
      },
      { HTTPS_PROXY: proxy.url, NO_PROXY: 'near.invalid' },
    );
    for (const model of ['far', 'near']) expect((await gateway.chat('hello', { model })).status).toBe(502);
    expect(proxy.asked).toEqual(['CONNECT model.invalid:443']);
    expect(reasons(gateway)).toEqual(['PROXY_HTTP_500']);
  });

  it('that cannot be reached is distinguished from an unreachable server', async () => {
    const far = { type: 'openai', base_url: 'https://model.invalid', proxy: 'http://127.0.0.1:1' };
    const gateway = await gatewayWith({ providers: { far }, routes: { far: ROUTE } });
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(502);
    expect(reasons(gateway)).toEqual(['PROXY_ECONNREFUSED']);
  });

  it('gets no private address of a webhook, and otherwise an address in place of the name', async () => {
    const proxy = await proxyWith();
    const hook = (url: string) => ({ type: 'webhook', url, secret: 'secret://env/HOOK#x', proxy: proxy.url, on_error: 'block' });
    const gateway = await gatewayWith(
      {
        packs: { inside: hook('https://localhost:1/check'), outside: hook('https://192.88.99.1:1/check') },
        routes: {
          inside: { provider: 'local', model: 'm', pipeline: { ingress: ['inside'], egress: [] } },
        },
      },
      { HOOK: SECRET },
    ).catch((error: Error) => error.message);
    // The address of the second is reserved.
    expect(gateway).toContain('allow_private');
    const other = await gatewayWith(
      {
        packs: { inside: hook('https://localhost:1/check') },
        routes: { inside: { provider: 'local', model: 'm', pipeline: { ingress: ['inside'], egress: [] } } },
      },
      { HOOK: SECRET },
    );
    await other.chat('hello', { model: 'inside' });
    expect(other.output).toContain('"reason":"PRIVATE_ADDRESS"');
    expect(proxy.asked).toEqual([]);
  });

  it('carries traces and the requests of exporters', async () => {
    const proxy = await proxyWith();
    const collector = await Collector.start();
    open.push(() => collector.close());
    const gateway = await gatewayWith(
      {
        exporters: [
          {
            type: 'webhook',
            url: 'http://sink.invalid/records',
            secret: 'secret://env/HOOK#x',
            allow_private: true,
            proxy: proxy.url,
          },
        ],
        telemetry: { traces: { endpoint: collector.url, proxy: proxy.url } },
      },
      { HOOK: SECRET },
    );
    await collector.run((await gateway.chat('hello')).headers.get('x-svc-run-id') ?? '');
    await until(async () => proxy.asked.includes('POST http://sink.invalid/records'));
    expect(proxy.asked).toContain(`POST ${collector.url}`);
  });
});

describe.skipIf(!hasOpenssl)('certificates', () => {
  let issuer: TestIssuer;
  let other: TestIssuer;
  beforeAll(() => {
    [issuer, other] = [new TestIssuer(), new TestIssuer('another CA')];
  });
  afterAll(() => {
    for (const each of [issuer, other]) each.dispose();
  });

  it.skipIf(skipsProxy)('of issuer and client go through a proxy, and are read again when they have changed', async () => {
    const proxy = await proxyWith();
    const model = await secureModel(issuer.issue('server'), issuer.ca);
    const first = issuer.issue('first');
    const far = {
      type: 'openai',
      base_url: `https://localhost:${model.port}`,
      proxy: proxy.url,
      ca: 'secret://file/ca.crt#pem',
      client_certificate: 'secret://file/client.crt#pem',
      client_key: 'secret://file/client.key#pem',
    };
    const gateway = await TestGateway.start({
      config: echoConfig({ providers: { far }, routes: { far: ROUTE } }),
      files: { 'ca.crt': issuer.ca, 'client.crt': first.cert, 'client.key': first.key },
      here: true,
    });
    open.push(() => gateway.dispose());
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(200);
    expect(proxy.asked).toEqual([`CONNECT localhost:${model.port}`]);

    const second = issuer.issue('second');
    await gateway.put({ 'client.crt': second.cert });
    // The key of before does not fit: what fitted last stays in use.
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(200);
    expect(reasons(gateway)).toEqual(['TLS_KEY_MISMATCH']);
    await gateway.put({ 'client.key': second.key });
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(200);
    expect(model.seen).toEqual(['first', 'first', 'second']);
    expect(gateway.output).not.toContain('PRIVATE KEY');
  });

  it.each([
    ['an unknown issuer', () => other.issue('server'), /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, 'add the issuer'],
    [
      'an end in the past',
      () => issuer.issue('server', '-not_before', '20200101000000Z', '-not_after', '20200102000000Z'),
      /^CERT_HAS_EXPIRED$/,
      'renew it',
    ],
  ])('of a server with %s are refused, with what to do', async (_, pair, reason, remedy) => {
    const expired = (() => {
      try {
        return pair();
      } catch {
        // openssl before 3.4 has no such dates.
        return issuer.issue('server', '-days', '-1');
      }
    })();
    const model = await secureModel(expired);
    const gateway = await gatewayWith(
      {
        providers: { far: { type: 'openai', base_url: `https://localhost:${model.port}`, ca: 'secret://env/CA#pem' } },
        routes: { far: ROUTE },
      },
      { CA: issuer.ca },
    );
    expect((await gateway.chat('hello', { model: 'far' })).status).toBe(502);
    expect(reasons(gateway)).toEqual([expect.stringMatching(reason)]);
    expect(gateway.output).toContain(remedy);
    expect(model.seen).toEqual([]);
  });

  it.skipIf(skipsProxy)('of an issuer of tokens too, through a proxy', async () => {
    const proxy = await proxyWith();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }];
    const server = createServer(issuer.issue('server'), (request, response) => {
      const url = `https://localhost:${(server.address() as AddressInfo).port}`;
      const metadata = { issuer: url, jwks_uri: `${url}/keys`, authorization_endpoint: url, token_endpoint: url };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url === '/keys' ? { keys } : metadata));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const settings = {
      issuer: `https://localhost:${port}`,
      audience: 'svc',
      principal: 'sub',
      roles: { claim: 'groups', map: {} },
      algorithms: ['ES256' as const],
      clock_skew_ms: 0,
      jwks_max_age_ms: 60_000,
    };
    const logger = fakeLogger();
    const deps = { clock: fakeClock(Date.now()), directory: '.', logger: logger as never, onFailure: () => undefined };
    const signed = new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'k' }).setIssuer(settings.issuer).setAudience('svc');
    const token = await signed.setSubject('anna').setExpirationTime('1h').sign(privateKey);
    const known = new Issuer({ ...settings, network: { ca: issuer.ca, proxy: proxy.url } }, deps);
    expect(await known.verify(token, 'svc')).toMatchObject({ sub: 'anna' });
    expect(proxy.asked).toContain(`CONNECT localhost:${port}`);
    const unknown = new Issuer({ ...settings, network: { ca: other.ca, proxy: proxy.url } }, deps);
    await expect(unknown.verify(token, 'svc')).rejects.toMatchObject({ code: 'SVC-AUTH-004' });
    expect(logger.lines.map(({ fields }) => Reflect.get(fields, 'event'))).toContain('connection_failed');
  });
});
