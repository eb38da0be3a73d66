import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usableProvider } from '../../host/src/compose/configuration.ts';
import { newHost } from '../../host/src/compose/host.ts';
import { GUARD_POOL } from '../../host/src/compose/tokens.ts';
import { type Called, callProvider, type Way } from '../../host/src/provider-test/call-provider.ts';
import { ADVICE } from '../../host/src/provider-test/cause.ts';
import { silentLogger } from '../../host/src/telemetry/log/logger.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { hasOpenssl, TestIssuer } from '../harness/certificates.ts';
import { replay, VENDORS } from '../harness/exchanges.ts';
import { svcHere } from '../harness/svc-here.ts';

const KEY = 'sk-a-key-that-nobody-may-see';
type Upstream = (request: IncomingMessage, response: ServerResponse, body: JsonObject) => void;

let folder: string;
let answer: Upstream;
const received: { url: string; body: JsonObject; authorization: string | undefined }[] = [];
const listener = async (request: IncomingMessage, response: ServerResponse) => {
  const body = JSON.parse(await text(request));
  received.push({ url: request.url ?? '', body, authorization: request.headers.authorization });
  answer(request, response, body);
};
const upstream = createServer(listener);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-provider-'));
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
});
afterAll(() => {
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  received.length = 0;
  answer = well;
});

const port = () => (upstream.address() as AddressInfo).port;
const url = (scheme = 'http') => `${scheme}://127.0.0.1:${port()}`;
const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const HEAD = { id: 'x', object: 'chat.completion', created: 1, model: 'm' };
const USAGE = { prompt_tokens: 14, completion_tokens: 1, total_tokens: 15 };
const MESSAGE = { role: 'assistant', content: 'OK.' };

/** An upstream of OpenAI's and Anthropic's APIs. */
const well: Upstream = (request, response, { stream }) => {
  if (request.url?.endsWith('/messages')) {
    const message = {
      id: 'x',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'OK.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 2 },
    };
    if (stream !== true) return json(response, 200, message);
    return events(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'OK.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]);
  }
  if (stream !== true)
    return json(response, 200, { ...HEAD, choices: [{ index: 0, message: MESSAGE, finish_reason: 'stop' }], usage: USAGE });
  const chunk = { ...HEAD, object: 'chat.completion.chunk' };
  return events(response, [
    { ...chunk, choices: [{ index: 0, delta: MESSAGE, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage: USAGE },
    '[DONE]',
  ]);
};

function events(response: ServerResponse, all: readonly (JsonObject | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of all) {
    const name = typeof event === 'object' && typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

function configured(options: JsonObject, more: JsonObject = {}): string {
  const file = join(folder, 'svc.yaml');
  const provider = { type: 'openai', base_url: `${url()}/v1`, api_key: 'secret://env/PROVIDER_KEY#value', ...options };
  const providers = {
    vendor: provider,
    other: { type: 'openai', base_url: url(), api_key: 'secret://env/NOT_SET#value' },
    unused: { type: 'echo' },
  };
  const routes = {
    a: { provider: 'other', model: 'x' },
    b: { provider: 'other', model: 'x', fallbacks: [{ provider: 'vendor', model: 'small' }] },
  };
  writeFileSync(file, JSON.stringify({ providers, routes, ...more }));
  return file;
}

/** Both calls in this process. */
async function calls(options: JsonObject, more?: JsonObject): Promise<Record<Way, Called>> {
  const host = newHost(silentLogger);
  process.env.PROVIDER_KEY = KEY;
  try {
    const { provider, protocols, models } = await usableProvider(configured(options, more), 'vendor', host);
    expect(models).toEqual(['small']);
    const call = (way: Way) => callProvider(provider, 'small', protocols, way);
    const both = { whole: await call('whole'), streamed: await call('streamed') };
    await provider.instance.close?.();
    return both;
  } finally {
    delete process.env.PROVIDER_KEY;
    await host.resolve(GUARD_POOL).close();
  }
}

/** The command itself. */
async function command(args: readonly string[], env: Record<string, string> = { PROVIDER_KEY: KEY }) {
  const { status: code, ...said } = await svcHere(['provider', 'test', ...args], { cwd: folder, env });
  return { code, ...said };
}

describe('a call', () => {
  it.each([
    ['openai', { input_tokens: 14, output_tokens: 1 }],
    ['anthropic', { input_tokens: 9, output_tokens: 2 }],
  ])('of %s is answered whole and streamed', async (type, usage) => {
    const { whole, streamed } = await calls({ type });
    const answered = { ok: true, characters: 3, usage, duration_ms: expect.any(Number) };
    expect(whole).toEqual({ ...answered, first_piece_ms: null });
    expect(streamed).toEqual({ ...answered, first_piece_ms: expect.any(Number) });
    expect(received.map(({ body }) => [body.model, body.stream === true])).toEqual([
      ['small', false],
      ['small', true],
    ]);
  });

  const refusing =
    (status: number, code: string | null, headers = {}): Upstream =>
    (_, response) =>
      json(response, status, { error: { message: `No: ${KEY}`, type: 'invalid_request_error', code } }, headers);
  it('that streams without an end is cut off', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const frame = `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices: [{ index: 0, delta: MESSAGE, finish_reason: null }] })}\n\n`;
      const more = (): void => {
        while (response.writable && response.write(frame));
      };
      response.on('drain', more);
      more();
    };
    const { streamed } = await calls({ timeout_ms: 1500, first_chunk_timeout_ms: 1500 });
    expect(streamed).toMatchObject({ ok: false, cause: 'not_its_api' });
  });

  it('ends with the time of a stream, though pings go on', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pings = setInterval(() => response.write(': ping\n\n'), 20);
      response.on('close', () => clearInterval(pings));
    };
    const limits = { timeout_ms: 1500, first_chunk_timeout_ms: 200, stream_timeout_ms: 1000 };
    const { streamed } = await calls(limits);
    expect(streamed).toMatchObject({ ok: false, cause: 'timeout' });
    // The pings ended the silence of 200 ms.
    expect(streamed.duration_ms).toBeGreaterThan(900);
  });

  it.each<[string, Upstream, JsonObject]>([
    ['401', refusing(401, 'invalid_api_key'), { cause: 'key', status: 401 }],
    ['403', refusing(403, null), { cause: 'key', status: 403 }],
    ['402', refusing(402, null), { cause: 'credit', status: 402 }],
    ['a used-up quota', refusing(429, 'insufficient_quota'), { cause: 'credit', status: 429 }],
    ['an unknown model', refusing(404, 'model_not_found'), { cause: 'model', status: 404 }],
    [
      '404 of a proxy',
      (_, response) => response.writeHead(404).end('<h1>Not found</h1>'),
      { cause: 'model_or_url', status: 404 },
    ],
    ['405', (_, response) => response.writeHead(405).end(), { cause: 'url', status: 405 }],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/login' }).end(), { cause: 'url', status: 302 }],
    ['429', refusing(429, 'rate_limit_exceeded', { 'retry-after': '7' }), { cause: 'rate_limit', status: 429, retry_after_s: 7 }],
    ['400', refusing(400, 'unsupported_value'), { cause: 'request', status: 400 }],
    ['500', refusing(500, null), { cause: 'overloaded', status: 500 }],
    ['503', (_, response) => response.writeHead(503).end(), { cause: 'overloaded', status: 503 }],
    [
      'a web page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      { cause: 'not_its_api' },
    ],
    [
      'an answer of megabytes',
      (_, response) => json(response, 200, { ...HEAD, padding: 'x'.repeat(2_000_000) }),
      { cause: 'not_its_api', status: null },
    ],
    ['JSON of another API', (_, response) => json(response, 200, { hello: 'world' }), { cause: 'not_its_api' }],
    ['a connection that breaks', (_, response) => response.destroy(), { cause: 'connection', status: null }],
    ['silence', () => undefined, { cause: 'timeout', status: null }],
  ])('that meets %s has a cause and nothing that the provider wrote', async (_, upstream, expected) => {
    answer = upstream;
    const failed = await calls({ timeout_ms: 1500, first_chunk_timeout_ms: 1500 });
    for (const way of ['whole', 'streamed'] as const) expect(failed[way], way).toMatchObject({ ok: false, ...expected });
    expect(JSON.stringify(failed)).not.toContain(KEY);
  });

  it.each([
    ['a host that has no address', { base_url: 'https://nowhere.invalid/v1' }, 'dns'],
    ['a port that nobody listens on', { base_url: 'http://127.0.0.1:9/v1' }, 'connection'],
    ['https to a server without TLS', () => ({ base_url: `${url('https')}/v1` }), 'tls'],
  ])('to %s has a cause and a code of the system', async (_, options, cause) => {
    const failed = await calls(typeof options === 'function' ? options() : options);
    expect(failed.whole).toMatchObject({ ok: false, cause, status: null, reason: expect.stringMatching(/^[A-Z][A-Z0-9_]+$/) });
  });

  it.skipIf(!hasOpenssl)('to a server with a private certificate fails without ca, and works with it', async () => {
    const issuer = new TestIssuer();
    const secure = createSecureServer(issuer.issue('localhost'), listener).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    try {
      const base_url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/v1`;
      expect((await calls({ base_url })).whole).toMatchObject({
        ok: false,
        cause: 'tls',
        reason: expect.stringMatching(/^[A-Z_]+$/),
      });
      expect(await calls({ base_url, ca: issuer.ca })).toMatchObject({ whole: { ok: true }, streamed: { ok: true } });
    } finally {
      secure.closeAllConnections();
      secure.close();
      issuer.dispose();
    }
  });

  it.each([...VENDORS])('of %s is answered in the vendor’s own form', async (_, vendor) => {
    const exchange = vendor.exchanges.find(({ answer, streamed }) => (answer.text ?? '') !== '' && streamed !== undefined);
    if (exchange === undefined) throw new Error('no exchange with a streamed text');
    const server = await startUpstream();
    const { origin } = new URL(server.url);
    const provider = JSON.parse(JSON.stringify(vendor.provider).replaceAll('{origin}', origin));
    const host = newHost(silentLogger);
    writeFileSync(
      join(folder, 'svc.yaml'),
      JSON.stringify({
        providers: { vendor: provider },
        protocols: [{ type: 'gemini' }],
        routes: { a: { provider: 'vendor', model: exchange.model } },
      }),
    );
    try {
      const { provider: node, protocols, models } = await usableProvider(join(folder, 'svc.yaml'), 'vendor', host);
      for (const way of ['whole', 'streamed'] as const) {
        server.respond(replay(vendor, exchange, way));
        const [input_tokens, output_tokens] = exchange.answer.usage ?? [];
        expect(await callProvider(node, models[0] ?? '', protocols, way)).toMatchObject({
          ok: true,
          characters: exchange.answer.text?.length,
          ...(exchange.answer.usage !== undefined && { usage: { input_tokens, output_tokens } }),
        });
      }
      await node.instance.close?.();
    } finally {
      await server.close();
      await host.resolve(GUARD_POOL).close();
    }
  });

  it('finds a stream that breaks off while whole answers work', async () => {
    answer = (request, response, body) => {
      if (body.stream !== true) return well(request, response, body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.write(
        `data: ${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: MESSAGE, finish_reason: null }] })}\n\n`,
        () => response.destroy(),
      );
    };
    expect(await calls({})).toMatchObject({ whole: { ok: true }, streamed: { ok: false, cause: 'connection' } });
  });
});

describe('svc provider test', () => {
  it('prints a line for each call and a summary, and never the key; nothing is written', async () => {
    configured({});
    const { code, stdout, stderr } = await command(['vendor']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(received.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect(stdout).not.toContain(KEY);
    expect(readdirSync(folder)).toEqual(['svc.yaml']);
  });

  it('ends with 1 and the remedy if a call fails, in text and as JSON', async () => {
    configured({});
    answer = (_, response) =>
      json(response, 401, { error: { message: `Incorrect API key provided: ${KEY}`, code: 'invalid_api_key' } });
    const text = await command(['vendor']);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(ADVICE.key[1]);
    const asJson = await command(['vendor', '--model', 'large', '--json']);
    expect(asJson.code).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      provider: 'vendor',
      type: 'openai',
      model: 'large',
      ok: false,
      whole: { cause: 'key', status: 401 },
    });
    expect(text.stdout + text.stderr + asJson.stdout + asJson.stderr).not.toContain(KEY);
  });

  it.each([
    ['an unknown provider', ['nobody'], 2, 'vendor'],
    ['a provider without a model in a route', ['unused'], 2, '--model'],
    ['no name', [], 2, 'NAME'],
    ['a secret that is not set', ['other'], 1, 'NOT_SET'],
  ])('refuses %s', async (_, args, code, part) => {
    configured({});
    const refused = await command(args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr + refused.stdout).toContain(part);
    expect(received).toEqual([]);
  });
});
