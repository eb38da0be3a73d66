import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, held, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { evidenceByRun } from './ledger-of.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  const route = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
  const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
  gateway = await TestGateway.start({
    config: echoConfig({ providers, routes: { default: route, bare: { ...route, pipeline: {} } } }),
  });
});
afterEach(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** What is under way has 5 s; the rest is for a slow machine. */
const SOON = 10_000;
const BUSY = { status: 503, body: { code: 'SVC-BUSY-001' } };

/** A process that has said that it is stopping. */
async function stopping(): Promise<{ ended: Promise<number | null>; since: number }> {
  const since = performance.now();
  const ended = gateway.stop();
  await gateway.logged('stopping');
  return { ended, since };
}

async function socketTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // Once a later connection was answered, the server has this one too.
  await gateway.get('/v1/health');
  return socket;
}

describe('SIGTERM with a slow model', () => {
  it('interrupts what does not finish in 5 s, with evidence, and ends with code 0', async () => {
    upstream.respond(stalled());
    const slow = gateway.chat('hello');
    const { disconnected } = await upstream.received(1);
    const { ended, since } = await stopping();
    expect(await slow).toMatchObject(BUSY);
    const { headers } = await slow;
    expect(await ended).toBe(0);
    const took = performance.now() - since;
    expect(took).toBeGreaterThan(4500);
    expect(took).toBeLessThan(SOON);
    await disconnected;

    await gateway.launch();
    const evidence = [...(await evidenceByRun(gateway)).values()];
    expect(evidence).toMatchObject([{ status: 'error', principal_id: 'alice' }]);
    const types = evidence[0]?.events.map(({ event_type }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['provider_call', 'interrupted', 'error']));
    // A caller that was cut off can still be told which run it was.
    expect(headers.get('x-svc-run-id')).toBe(evidence[0]?.run_id);
  });

  it('lets finish what finishes, with its evidence', async () => {
    const model = held(answer('in time'));
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { ended, since } = await stopping();
    model.release();
    const { status, body, headers } = await slow;
    expect(status).toBe(200);
    expect(body.choices[0].message.content).toBe('in time');
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(4500);
    await gateway.launch();
    const record = (await evidenceByRun(gateway)).get(headers.get('x-svc-run-id') ?? '');
    expect(`${record?.seq} ${record?.hash}`).toBe(headers.get('x-svc-evidence'));
  });

  it('sends a large answer whole', async () => {
    const content = 'x'.repeat(16_000_000);
    const model = held(answer(content));
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello', { model: 'bare' });
    await upstream.received(1);
    const { ended } = await stopping();
    model.release();
    expect((await slow).body.choices[0].message.content).toHaveLength(content.length);
    expect(await ended).toBe(0);
  });

  it('takes no new work, on new connections nor on those that it has', async () => {
    const model = held(answer());
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { body: runs } = await gateway.get('/v1/audit');
    const { ended } = await stopping();
    const refusals = await Promise.all([
      gateway.chat('more').catch(() => BUSY),
      gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'more' }] }).catch(() => BUSY),
      gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'more' }], background: true }).catch(() => BUSY),
    ]);
    for (const refusal of refusals) expect(refusal).toMatchObject(BUSY);
    expect(upstream.requests).toHaveLength(1);
    model.release();
    expect((await slow).status).toBe(200);
    await ended;
    await gateway.launch();
    // The one under way was among them.
    expect((await gateway.get('/v1/audit')).body.runs).toHaveLength(runs.runs.length);
  });

  it('takes no decision any more: the run stays paused', async () => {
    const { body: paused } = await gateway.chat('a wire transfer');
    upstream.respond(stalled());
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { ended } = await stopping();
    const path = `/v1/runs/${paused.svc_run_id}/resume`;
    expect(await gateway.post(path, { decision: 'approved' }, 'bob').catch(() => BUSY)).toMatchObject(BUSY);
    await Promise.all([slow, ended]);
    await gateway.launch();
    expect((await gateway.post(path, { decision: 'approved' }, 'bob')).body).toMatchObject({ status: 'completed' });
  });

  it('interrupts a background run that works, and keeps one that waits for the next start', async () => {
    upstream.respond(...Array.from({ length: 32 }, () => stalled()));
    const ids: string[] = [];
    for (let n = 0; n < 34; n += 1) {
      const asked = { messages: [{ role: 'user', content: `${n}` }], background: true };
      ids.push((await gateway.post('/v1/runs', asked)).body.run_id);
    }
    await upstream.received(32);
    expect(await gateway.stop()).toBe(0);
    await gateway.launch();
    const evidence = await evidenceByRun(gateway);
    for (const run_id of ids.slice(0, 32)) expect(evidence.get(run_id)).toMatchObject({ status: 'error' });
    for (const run_id of ids.slice(32)) {
      await until(async () => (await gateway.get(`/v1/runs/${run_id}`)).body.status === 'completed');
    }
  });
});

describe('a client that does nothing does not keep the server from stopping', () => {
  const alice = (): string => `host: x\r\nauthorization: Bearer ${gateway.key('alice')}\r\n`;

  it.each([
    ['has sent nothing', () => ''],
    ['has sent half of a head', () => 'GET /v1/health HTTP/1.1\r\nhost: x\r\n'],
    [
      'has sent half of a body',
      () => `POST /v1/runs HTTP/1.1\r\n${alice()}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"messages"`,
    ],
  ])('one that %s', { timeout: 2 * SOON }, async (_what, bytes) => {
    const socket = await socketTo(gateway.url);
    socket.write(bytes());
    await gateway.get('/v1/health');
    const { ended, since } = await stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(SOON);
    socket.destroy();
  });

  it('one that keeps its connection for a next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [response] = await once(get(`${gateway.url}/metrics`, { agent }), 'response');
    await text(response);
    const { ended, since } = await stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(4500);
    agent.destroy();
  });

  it('one that does not read its answer', { timeout: 2 * SOON }, async () => {
    // More than the system buffers on either side.
    upstream.respond(answer('x'.repeat(16_000_000)));
    const socket = await socketTo(gateway.url);
    socket.pause();
    const body = JSON.stringify({ model: 'bare', messages: [{ role: 'user', content: 'hello' }] });
    const head = `POST /v1/chat/completions HTTP/1.1\r\n${alice()}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(`${head}${body}`);
    await until(async () => (await gateway.get('/v1/audit?status=completed')).body.runs.length !== 0);
    const { ended, since } = await stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(SOON);
    socket.destroy();
  });
});

describe('a folder of runs', () => {
  /** `svc serve` on the gateway's folder, to its end. */
  async function serveAgain(): Promise<{ code: number | null; errors: string }> {
    const config = join(gateway.folder, 'svc.yaml');
    const args = [MAIN, 'serve', '--config', config, '--port', '0', '--runs-db', join(gateway.folder, 'runs-db')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code, errors };
  }

  it('is for one process: a second one is refused with code 1 and names the first', async () => {
    const { code, errors } = await serveAgain();
    expect(code).toBe(1);
    expect(errors).toMatch(new RegExp(`\\b${gateway.pid}\\b`));
    expect(errors.trim().split('\n')).toHaveLength(1);
    // The first one is none the worse for it.
    expect((await gateway.chat('hello')).status).toBe(200);
  });

  it('is free again after a kill -9', async () => {
    const { headers } = await gateway.chat('hello');
    await gateway.stop('SIGKILL');
    await gateway.launch();
    expect((await evidenceByRun(gateway)).has(headers.get('x-svc-run-id') ?? '')).toBe(true);
  });
});
