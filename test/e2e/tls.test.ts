import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, dripped, held, sseFrame, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { hasOpenssl, type Pair, TestIssuer } from '../harness/certificates.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const completionChunk = (content: string) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

describe.skipIf(!hasOpenssl)('TLS of the gateway itself', () => {
  let issuer: TestIssuer;
  let upstream: Upstream;
  let gateway: TestGateway;
  const sessions: ClientHttp2Session[] = [];
  beforeAll(async () => {
    issuer = new TestIssuer();
    upstream = await startUpstream();
  });
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy();
    await gateway.dispose();
  });
  afterAll(async () => {
    issuer.dispose();
    await upstream.close();
  });

  const filesOf = ({ cert, key }: Pair): Record<string, string> => ({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': issuer.ca });

  const PLAIN = { provider: 'far', model: 'm', pipeline: { ingress: [], egress: [] } };
  async function start(tls: object = {}, pair = issuer.issue('first'), here = true): Promise<void> {
    const files = { certificate: 'secret://file/tls.crt#pem', key: 'secret://file/tls.key#pem' };
    const providers = { far: { type: 'openai', base_url: upstream.url } };
    const server = { body_limit_bytes: 100_000, tls: { ...files, ...tls } };
    gateway = await TestGateway.start({
      here,
      config: echoConfig({ providers, routes: { far: PLAIN }, server }),
      files: filesOf(pair),
    });
  }

  const headers = (): Record<string, string> => ({
    authorization: `Bearer ${gateway.key('alice')}`,
    'content-type': 'application/json',
  });
  const chat = (content: string, more: object = {}): string =>
    JSON.stringify({ model: 'default', messages: [{ role: 'user', content }], ...more });

  function session(options: ConnectionOptions = {}): ClientHttp2Session {
    const opened = connect(gateway.url, { ca: issuer.ca, ...options });
    opened.on('error', () => undefined);
    sessions.push(opened);
    return opened;
  }

  function post(over: ClientHttp2Session, body: string | null, path = '/v1/chat/completions'): ClientHttp2Stream {
    const stream = over.request({ ':method': 'POST', ':path': path, ...headers() });
    if (body !== null) stream.end(body);
    return stream;
  }

  async function answered(stream: ClientHttp2Stream): Promise<{ status: number; text: string }> {
    const [head] = await once(stream, 'response');
    return { status: Number(head[':status']), text: await text(stream) };
  }

  async function over1(body: string, shown: Partial<Pair> = {}): Promise<{ status: number | undefined; text: string }> {
    const asked = request(new URL('/v1/chat/completions', gateway.url), {
      method: 'POST',
      ca: issuer.ca,
      ...shown,
      headers: headers(),
      agent: false,
    });
    asked.end(body);
    const [response] = await once(asked, 'response');
    return { status: response.statusCode, text: await text(response) };
  }

  async function peer(options: ConnectionOptions = {}): Promise<{ socket: TLSSocket; name: string | undefined }> {
    const { port } = new URL(gateway.url);
    const socket = connectTls({ port: Number(port), host: '127.0.0.1', ca: issuer.ca, ALPNProtocols: ['http/1.1'], ...options });
    await once(socket, 'secureConnect');
    return { socket, name: socket.getPeerCertificate().subject.CN?.toString() };
  }

  it('serves HTTP/1.1 and HTTP/2, whole and streamed, and accepts bodies without a length within the limit', async () => {
    await start();
    expect(gateway.url).toMatch(/^https:/);
    const one = await over1(chat('hello'));
    expect([one.status, JSON.parse(one.text).choices[0].message.content]).toEqual([200, 'echo: hello']);
    const two = session();
    const [whole, streamed] = await Promise.all([
      answered(post(two, chat('over two'))),
      answered(post(two, chat('streamed', { stream: true }))),
    ]);
    expect(JSON.parse(whole.text).choices[0].message.content).toBe('echo: over two');
    expect(streamed.text).toMatch(/^data: [\s\S]*data: \[DONE\]\n\n$/);
    const pieces = post(two, null);
    for (const piece of [chat('x'.repeat(50_000)).slice(0, 20_000), chat('x'.repeat(50_000)).slice(20_000)]) pieces.write(piece);
    pieces.end();
    expect((await answered(pieces)).status).toBe(200);
    const long = post(two, chat('x'.repeat(200_000)));
    expect(await answered(long)).toMatchObject({ status: 413 });
    // The bytes of all of them are given back.
    const metrics = await answered(two.request({ ':path': '/metrics' }));
    expect(metrics.text).toMatch(/^svc_bytes_in_flight(?:\{[^}]*\})? 0$/m);
  });

  it('cancels the call of a caller who resets its stream, and keeps the others of the connection', async () => {
    await start();
    const model = held(answer('late'));
    upstream.respond(model.behaviour);
    const two = session();
    const seen = upstream.requests.length;
    const left = post(two, chat('hello', { model: 'far' }));
    left.on('error', () => undefined);
    await upstream.received(seen + 1);
    left.close(constants.NGHTTP2_CANCEL);
    await gateway.until((output) => (/"event":"request".*"route":"far".*"outcome":"error"/.test(output) ? true : undefined));
    expect((await answered(post(two, chat('still')))).status).toBe(200);
    model.release();
  });

  it('refuses a connection without a certificate of client_ca, and requires a key nevertheless', async () => {
    await start({ client_ca: 'secret://file/ca.crt#pem' });
    const { cert, key } = issuer.issue('client');
    const other = new TestIssuer('another CA');
    const stranger = other.issue('stranger');
    other.dispose();
    for (const shown of [{}, stranger])
      await expect(over1(chat('hello'), shown)).rejects.toThrow(/ECONNRESET|alert|socket hang up/i);
    const known = session({ cert, key });
    expect((await answered(post(known, chat('hello')))).status).toBe(200);
    const keyless = known.request({ ':method': 'GET', ':path': '/v1/models' });
    expect((await answered(keyless)).status).toBe(401);
  });

  it.each(['by itself', 'at SIGHUP'])(
    'uses a changed certificate %s; open connections stay, and an invalid pair changes nothing',
    async (how) => {
      await start({}, issuer.issue('first'), how === 'by itself');
      const { socket, name } = await peer();
      expect(name).toBe('first');
      await gateway.put(filesOf({ ...issuer.issue('odd'), key: issuer.issue('other').key }));
      if (how === 'at SIGHUP') process.kill(gateway.pid, 'SIGHUP');
      await gateway.logged('tls_not_renewed');
      expect(gateway.output).toContain('TLS_KEY_MISMATCH');
      const between = await peer();
      expect(between.name).toBe('first');
      between.socket.destroy();
      await gateway.put(filesOf(issuer.issue('second')));
      if (how === 'at SIGHUP') process.kill(gateway.pid, 'SIGHUP');
      await gateway.logged('tls_renewed');
      const after = await peer();
      expect(after.name).toBe('second');
      after.socket.destroy();
      socket.write(
        `GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: ${headers().authorization}\r\nconnection: close\r\n\r\n`,
      );
      expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
      expect(gateway.output).not.toContain('PRIVATE KEY');
    },
  );

  it('slows the model down if an HTTP/2 reader reads nothing', async () => {
    await start();
    const event = sseFrame(completionChunk('x'.repeat(10_000)));
    const unread = dripped(Array.from({ length: 1_500 }, () => event));
    const read = dripped([...Array.from({ length: 1_500 }, () => event), 'data: [DONE]\n\n']);
    upstream.respond(unread.behaviour, read.behaviour);
    const seen = upstream.requests.length;
    const asks = chat('hello', { model: 'far', stream: true });
    const first = post(session(), asks);
    await once(first, 'response');
    await upstream.received(seen + 1);
    // Takes longer than the other one would if nothing held it back.
    await answered(post(session(), asks));
    expect(read.sent()).toBe(1_501);
    expect(unread.sent()).toBeLessThan(1_500);
  });

  it('ends connections of both at shutdown, after their answers', async () => {
    await start();
    const model = held(answer('in time'));
    upstream.respond(model.behaviour);
    const two = session();
    const seen = upstream.requests.length;
    const asked = answered(post(two, chat('hello', { model: 'far' })));
    await upstream.received(seen + 1);
    const idle = await peer();
    const stopped = gateway.stop();
    await gateway.logged('stopping');
    model.release();
    expect(JSON.parse((await asked).text).choices[0].message.content).toBe('in time');
    expect(await stopped).toBe(0);
    idle.socket.destroy();
  });

  it('does not start with a key that does not match, and reports this', async () => {
    const pair = { ...issuer.issue('first'), key: issuer.issue('other').key };
    await expect(start({}, pair)).rejects.toThrow(/server\.tls: key: does not match certificate/);
  });

  it('refuses ambiguous messages', async () => {
    await start();
    const two = session();
    const odd = two.request({ ':path': '/v1/models', ':authority': 'one.example', host: 'two.example', ...headers() });
    expect((await answered(odd)).status).toBe(400);
  });
});
