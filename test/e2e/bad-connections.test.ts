import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, TestGateway } from '../harness/gateway.ts';
import { CALLER, describeAftermath, IllTreated, MALFORMED, UNKNOWN_CODING } from './bad-input.ts';

let treated: IllTreated;
let gateway: TestGateway;
beforeAll(async () => {
  treated = await IllTreated.start();
  gateway = treated.gateway;
});
afterAll(() => gateway.dispose());

/** Writes bytes and reads until the server closes the connection. */
async function overTcp(bytes: string | Uint8Array): Promise<Answer> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  // The server may close before it has read everything.
  socket.on('error', () => undefined);
  socket.write(bytes);
  const answer = await textOf(socket);
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(fields.map((field): [string, string] => [field.split(': ')[0] ?? '', field.split(': ')[1] ?? '']));
  return { status: Number(line.split(' ')[1]), headers, text, body: text === '' ? null : JSON.parse(text) };
}

describe('over a raw connection', () => {
  const garbage: [string, string | Uint8Array][] = [
    ['words', `${CALLER} ${CALLER}\r\n\r\n`],
    ['bytes', Uint8Array.from({ length: 512 }, (_, i) => (i * 7 + 128) % 256)],
    ['a TLS hello', Uint8Array.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['a method that nobody knows', `${CALLER} / HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a version that nobody knows', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a header without a colon', `GET /v1/health HTTP/1.1\r\nHost: x\r\n${CALLER}\r\n\r\n`],
    ['a header with a NUL', `GET /v1/health HTTP/1.1\r\nHost: x\r\nx: a\0b\r\n\r\n`],
    ['a header that is too large', `GET /v1/health HTTP/1.1\r\nHost: x\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['an address that is too large', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['two lengths', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['a length that is negative', 'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    [
      'a length beside chunks',
      'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no Host', 'GET /v1/health HTTP/1.1\r\n\r\n'],
  ];
  it.each(garbage)('%s is 400 as JSON, and the connection is closed', async (_what, bytes) => {
    const answer = await overTcp(bytes);
    treated.expectRefusal(answer, MALFORMED);
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  const alice = (): string => `Authorization: Bearer ${gateway.key('alice')}`;
  const post = (fields: readonly string[], version = '1.1'): string => {
    const body = '{"messages":[{"role":"user","content":"hello"}]}';
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head = [`POST /v1/runs HTTP/${version}`, alice(), 'Content-Type: application/json', ...fields];
    return `${head.join('\r\n')}\r\n\r\n${chunks}`;
  };

  it.each([
    ['two Hosts', () => ['Host: x', 'Host: y']],
    ['the same Host twice', () => ['Host: x', 'host: x']],
    ['a list in Host', () => ['Host: x, y']],
    ['an address in Host', () => ['Host: http://x/']],
    ['a Host with a user', () => ['Host: x@y']],
    ['an expectation that nobody knows', () => ['Host: x', 'Expect: the-moon']],
    ['two keys', () => ['Host: x', alice(), alice()]],
    ['a key after what is none', () => ['Host: x', 'Authorization: Basic eA==', alice()]],
  ])('%s are 400, on any path, and the connection is closed', async (_what, fields) => {
    const requests = ['/v1/health', '/metrics', '/no/such/path', '/v1/%ZZ'];
    for (const path of requests) {
      const answer = await overTcp(`GET ${path} HTTP/1.1\r\n${[...fields(), 'x: y'].join('\r\n')}\r\n\r\n`);
      treated.expectRefusal(answer, MALFORMED);
      expect(answer.headers.get('connection')).toBe('close');
    }
  });

  it.each([
    ['gzip'],
    ['gzip, chunked'],
    [',chunked'],
    ['identity, chunked'],
    ['chunked, gzip'],
    ['chunked, chunked'],
    ['chunked;q=1'],
    ['xchunked'],
    ['identity'],
    [''],
    ['gzip', 'chunked'],
    ['chunked', 'chunked'],
  ])('any transfer coding but chunked is 501, and the connection is closed: %j %j', async (...codings) => {
    const fields = codings.map((coding) => `Transfer-Encoding: ${coding}`);
    const answer = await overTcp(post(['Host: x', ...fields]));
    treated.expectRefusal(answer, UNKNOWN_CODING);
    expect(answer.headers.get('connection')).toBe('close');
  });

  it('chunks in HTTP/1.0 are 400', async () => {
    treated.expectRefusal(await overTcp(post(['Host: x', 'Transfer-Encoding: chunked'], '1.0')), MALFORMED);
  });

  it.each(['chunked', 'Chunked', ' chunked '])('a body that is sent as %j is accepted', async (coding) => {
    await treated.acceptedOver(() => overTcp(post(['Host: x', 'Connection: close', `Transfer-Encoding:${coding}`])));
  });

  it('invalid chunks, after authentication, are 400 as JSON, and the connection is closed', async () => {
    const head = `POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key('alice')}\r\nContent-Type: application/json\r\n`;
    treated.expectRefusal(await overTcp(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n${CALLER}\r\n`), MALFORMED);
  });

  it('a client that disconnects in the middle of its body leaves nothing', async () => {
    const { hostname, port } = new URL(gateway.url);
    const before = (await gateway.ledger()).length;
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `POST /v1/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key('alice')}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"messages":`,
    );
    socket.destroy();
    await once(socket, 'close');
    expect((await gateway.get('/v1/health')).status).toBe(200);
    expect((await gateway.ledger()).length).toBe(before);
  });
});

describeAftermath(() => treated);
