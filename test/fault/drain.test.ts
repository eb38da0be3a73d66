import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { liveStream, startUpstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { evidenceByRun } from './ledger-of.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

/** For a slow machine. */
const SOON = 20_000;
const TIMEOUT = { timeout: 120_000 };

async function start(drain_delay: string, here = false): Promise<void> {
  gateway = await TestGateway.start({ config: echoConfig({ server: { drain_delay } }), here });
}

/** Over a connection of its own. */
async function asked(path: string, body?: JsonObject) {
  const headers = { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' };
  const sent = request(`${gateway.url}${path}`, { agent: false, method: body === undefined ? 'GET' : 'POST', headers });
  sent.end(body === undefined ? '' : JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return {
    status: response.statusCode,
    connection: response.headers.connection,
    retry: response.headers['retry-after'],
    body: (await json(response)) as JsonObject,
  };
}

const health = () => asked('/v1/health');
const chat = () => asked('/v1/chat/completions', { model: 'default', messages: [{ role: 'user', content: 'hello' }] });

async function isStopping(): Promise<void> {
  await gateway.logged('stopping');
}

describe('after the signal to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s: it is not ready, but serves new connections', TIMEOUT, async (signal) => {
    await start('10m');
    expect(await health()).toMatchObject({ status: 200, body: { status: 'ok' } });
    process.kill(gateway.pid, signal);
    await isStopping();
    expect(await health()).toMatchObject({ status: 503, body: { status: 'stopping' } });
    for (let n = 0; n < 5; n += 1) expect((await chat()).status).toBe(200);
    expect((await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] })).status).toBe(200);
    // A kept connection would lead the next request here.
    expect((await gateway.chat('hello')).headers.get('connection')).toBe('close');
    // A second one changes nothing.
    process.kill(gateway.pid, 'SIGTERM');
    expect((await chat()).status).toBe(200);
  });

  it('the port closes when the delay is over, and the process shuts down normally', TIMEOUT, async () => {
    await start('2s', true);
    const since = performance.now();
    const ended = gateway.stop();
    await isStopping();
    expect(await ended).toBe(0);
    const took = performance.now() - since;
    expect(took).toBeGreaterThan(1900);
    expect(took).toBeLessThan(SOON);
    await expect(health()).rejects.toThrow('ECONNREFUSED');
    expect(gateway.output).toContain('"event":"stopped"');
  });

  it('the delay is 5 s by default without a terminal', TIMEOUT, async () => {
    await start('0s', true);
    await gateway.stop();
    gateway.here = false;
    const file = join(gateway.folder, 'svc.yaml');
    const { server: _server, ...config } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify(config));
    await gateway.launch();
    const since = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - since).toBeGreaterThan(4900);
    expect(performance.now() - since).toBeLessThan(SOON);
  });
});

it('SIGUSR1 opens no inspector, and changes nothing', TIMEOUT, async () => {
  await start('0s');
  process.kill(gateway.pid, 'SIGUSR1');
  for (let n = 0; n < 5; n += 1) expect((await chat()).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output).not.toMatch(/debugger|inspector/i);
});

describe('while runs in progress may continue', () => {
  it(
    'new requests get 503, probes are answered, a stream that ends in time is complete, and a longer one ends with the reason',
    TIMEOUT,
    async () => {
      const upstream = await startUpstream();
      onTestFinished(() => upstream.close());
      const bare = { provider: 'model', model: 'm-1', pipeline: {} };
      const providers = { model: { type: 'openai', base_url: upstream.url, idle_timeout_ms: 300_000 } };
      const server = { drain_timeout: '3s' };
      gateway = await TestGateway.start({ config: echoConfig({ providers, routes: { default: bare }, server }) });
      const [quick, ...slow] = [liveStream(), liveStream(), liveStream()];
      upstream.respond(quick.behaviour, ...slow.map(({ behaviour }) => behaviour));
      const chunk = (content: string) => ({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content } }],
      });
      const stream = (path: string, body: JsonObject) =>
        fetch(`${gateway.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'default', stream: true, messages: [{ role: 'user', content: 'hello' }], ...body }),
        });
      const ending = stream('/v1/chat/completions', {});
      await upstream.received(1);
      const cut = [stream('/v1/chat/completions', {}), stream('/v1/messages', { max_tokens: 9 })];
      await upstream.received(3);
      await quick.send(chunk('in '));
      for (const each of slow) await each.send(chunk('cut'));
      const [first, ...others] = await Promise.all([ending, ...cut]);
      const stopped = gateway.stop();
      await gateway.logged('stopping');
      const refused = await chat();
      expect(refused).toMatchObject({ status: 503, retry: '5', body: { code: 'SVC-BUSY-002' } });
      expect(await health()).toMatchObject({ status: 503, body: { status: 'stopping' } });
      expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
      expect((await fetch(`${gateway.url}/livez`)).status).toBe(204);
      await quick.send(chunk('time'));
      await quick.done();
      expect(await first.text()).toMatch(/time[\s\S]*data: \[DONE\]/);
      const [ofChat = '', ofMessages = ''] = await Promise.all(others.map((response) => response.text()));
      expect(ofChat).toMatch(/^data: .*"error":.*SVC-BUSY-002/m);
      expect(ofMessages).toMatch(/^event: error\ndata: .*SVC-BUSY-002/m);
      expect(await stopped).toBe(0);
      await gateway.launch();
      const ended = [...(await evidenceByRun(gateway)).values()].map(({ status, events }) => [
        status,
        events.some(({ event_type }) => event_type === 'interrupted'),
      ]);
      expect(ended.sort()).toEqual([
        ['completed', false],
        ['error', true],
        ['error', true],
      ]);
    },
  );
});
