import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { askModel, type ChatTurn } from '../../host/src/commands/chat-answer.ts';
import { failure, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  const config = echoConfig({
    providers: { up: { type: 'openai', base_url: upstream.url } },
    routes: { remote: { provider: 'up', model: 'm' } },
  });
  const route = (config.routes as Record<string, object>).default;
  gateway = await TestGateway.start({
    here: true,
    config: {
      ...config,
      routes: { ...config.routes, strict: { ...route, stops: 'error' }, plain: { provider: 'local', model: 'echo-1' } },
    },
  });
  vi.stubEnv('SVC_KEY', gateway.key('alice'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await gateway.dispose();
  await upstream.close();
});

/** Asks in this process. `paused` is called with the run when it waits. */
async function ask(
  content: string,
  {
    model = 'default',
    server = gateway.url,
    signal = new AbortController().signal,
    paused = (_: string): unknown => undefined,
  } = {},
) {
  const shown: string[] = [];
  const messages: ChatTurn[] = [{ role: 'user', content }];
  const view = { onText: (piece: string) => void shown.push(piece), onPause: (_: string, run_id: string) => void paused(run_id) };
  return { ...(await askModel({ server, model }, messages, view, signal)), shown };
}

/** A server that answers every request in this way. */
async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const decide =
  (decision: string, more = {}) =>
  (run_id: string) =>
    gateway.post(`/v1/runs/${run_id}/resume`, { decision, ...more }, 'bob');

describe('an answer', () => {
  it('is shown as it comes, with its run and its tokens', async () => {
    const answer = await ask('one two three four five', { model: 'plain' });
    expect(answer).toMatchObject({
      status: 'completed',
      reason: null,
      run_id: expect.any(String),
      text: 'echo: one two three four five',
    });
    expect(answer.shown.join('')).toBe(answer.text);
    expect(answer.shown.length).toBeGreaterThan(1);
    expect(answer.usage?.output_tokens).toBeGreaterThan(0);
  });

  it.each(['default', 'strict'])('that is blocked has the reason and no text (route %s)', async (model) => {
    const answer = await ask('forbidden', { model });
    expect(answer).toMatchObject({ status: 'blocked', text: '', shown: [], usage: null, run_id: expect.any(String) });
    expect(answer.reason).toContain('policy');
  });

  it.each(['default', 'strict'])('that is approved continues (route %s)', async (model) => {
    const answer = await ask('a wire transfer', { model, paused: decide('approved') });
    expect(answer).toMatchObject({ status: 'completed', text: 'echo: a wire transfer', shown: ['echo: a wire transfer'] });
  });

  it('that is denied has the reason of the approver', async () => {
    const answer = await ask('another wire transfer', { paused: decide('denied', { reason: 'ask the bank' }) });
    expect(answer).toMatchObject({ status: 'denied', text: '', reason: expect.stringContaining('ask the bank') });
  });

  it('that fails is an error with its run', async () => {
    upstream.respond(failure(400));
    expect(await ask('hello', { model: 'remote' })).toMatchObject({ status: 'error', text: '', reason: expect.any(String) });
  });
});

describe('Ctrl-C', () => {
  it('ends an answer that does not come', async () => {
    const abort = new AbortController();
    upstream.respond(stalled());
    const asked = ask('hello', { model: 'remote', signal: abort.signal });
    await upstream.received(upstream.requests.length + 1);
    abort.abort();
    expect(await asked).toMatchObject({ status: 'stopped' });
  });

  it('ends the wait for a decision', async () => {
    const abort = new AbortController();
    const answer = await ask('a third wire transfer', { signal: abort.signal, paused: () => abort.abort() });
    expect(answer).toMatchObject({ status: 'stopped', run_id: expect.any(String) });
  });
});

describe('a server', () => {
  it.each<[string, RequestListener, string]>([
    ['that closes the connection', (_, response) => response.write('data: {}\n\n', () => response.destroy()), 'connection'],
    ['that ends a stream early', (_, response) => response.end('data: {"choices":[]}\n\n'), 'ended before'],
    ['that sends no JSON', (_, response) => response.end('data: <html>\n\n'), 'connection'],
  ])('%s gives an error', async (_, listener, reason) => {
    expect(await ask('hello', { server: await serverOf(listener) })).toMatchObject({
      status: 'error',
      reason: expect.stringContaining(reason),
    });
  });

  it('that answers a run with something else than JSON is reported in one line', async () => {
    const server = await serverOf((_, response) => response.writeHead(502, { 'x-svc-run-id': 'r1' }).end('<html>'));
    expect(await ask('hello', { server })).toMatchObject({ status: 'error', run_id: 'r1', reason: `${server} answered 502` });
  });

  it('that is away, or refuses the key or the route, is reported in one line', async () => {
    await expect(ask('hello', { server: 'http://127.0.0.1:9' })).rejects.toMatchObject({
      exit_code: 1,
      message: expect.stringContaining('is the server running?'),
    });
    await expect(ask('hello', { model: 'of-nobody' })).rejects.toMatchObject({ message: expect.stringContaining('404') });
    vi.stubEnv('SVC_KEY', 'svc-wrong');
    await expect(ask('hello')).rejects.toMatchObject({ message: expect.stringContaining('SVC_KEY') });
    vi.stubEnv('SVC_KEY', gateway.key('alice'));
  });
});

describe('svc chat', () => {
  async function svc(args: readonly string[], input: string | null) {
    const child = spawn(process.execPath, [MAIN, 'chat', '--server', gateway.url, ...args], { env: process.env });
    child.stdin.end(input ?? '');
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  }

  it('reads the text from standard input, and prints only the answer to standard output', async () => {
    expect(await svc([], 'hello\n')).toMatchObject({ code: 0, stdout: 'echo: hello\n', stderr: expect.stringContaining('run ') });
  });

  it('--json prints one line, and the exit code is 1 without an answer', async () => {
    const { code, stdout, stderr } = await svc(['forbidden', '--json'], null);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'blocked', text: '' });
  });
});
