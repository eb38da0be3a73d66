import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, parsed, TestGateway } from '../harness/gateway.ts';

const LIMIT = 200_000;
const CODERS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['gzip', (text) => gzipSync(text)],
  ['GZIP', (text) => gzipSync(text)],
  ['x-gzip', (text) => gzipSync(text)],
  ['br', (text) => brotliCompressSync(text)],
  ['zstd', (text) => zstdCompressSync(text)],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ config: echoConfig({ server: { body_limit_bytes: LIMIT } }), here: true });
});
afterAll(() => gateway.dispose());

const chat = (content: string): string => JSON.stringify({ model: 'default', messages: [{ role: 'user', content }] });

async function post(coding: string, body: Buffer, path = '/v1/chat/completions') {
  const headers = {
    authorization: `Bearer ${gateway.key('alice')}`,
    'content-type': 'application/json',
    'content-encoding': coding,
  };
  const response = await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body: new Uint8Array(body) });
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  return { status: response.status, body: parsed(await response.text()) as any };
}

async function bytesInFlight(): Promise<string | undefined> {
  return /^svc_bytes_in_flight(?:\{[^}]*\})? (\d+)$/m.exec((await gateway.get('/metrics', null)).text)?.[1];
}

describe.each(CODERS)('a body in %s', (coding, code) => {
  it('is accepted like an uncompressed one, and guards see the text', async () => {
    const { status, body } = await post(coding, code(chat('Pay ACC-12345, 😀')));
    expect([status, body.choices[0].message.content]).toEqual([200, 'echo: Pay <ACCOUNT>, 😀']);
  });

  it('is refused if the decoded body exceeds the limit, even if it is a thousand times smaller', async () => {
    const bomb = code(chat('x'.repeat(100 * LIMIT)));
    expect(bomb.length).toBeLessThan(LIMIT);
    expect(await post(coding, bomb)).toMatchObject({ status: 413, body: { error: { code: 'SVC-REQ-002' } } });
    expect(await bytesInFlight()).toBe('0');
  });

  it.each([
    ['cut off', (whole: Buffer) => whole.subarray(0, whole.length - 5)],
    ['of another form', () => Buffer.from(chat('plain'))],
    ['empty', () => Buffer.alloc(0)],
  ])('is refused if it is %s', async (_, spoilt) => {
    const { status, body } = await post(coding, spoilt(code(chat('hello'.repeat(100)))));
    expect([status, body.error.code]).toEqual([400, 'SVC-REQ-001']);
    expect(await bytesInFlight()).toBe('0');
  });
});

it.each(['deflate', 'gzip, gzip', 'br,gzip', 'constructor', 'aes128gcm'])(
  '%s is refused with the supported encodings',
  async (coding) => {
    const { status, body } = await post(coding, gzipSync(chat('hello')));
    expect([status, body.error.code]).toEqual([415, 'SVC-REQ-004']);
    expect(body.error.message).toContain('gzip, br or zstd');
  },
);

it('other endpoints accept them too', async () => {
  const asked = gzipSync(JSON.stringify({ route: 'default', messages: [{ role: 'user', content: 'hello' }] }));
  expect((await post('gzip', asked, '/v1/runs')).body).toMatchObject({ status: 'completed', response: 'echo: hello' });
});
