import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { answer, held, stalled, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { evidenceByRun } from './ledger-of.ts';

/** What is under way has 5 s; the rest is for a slow machine. */
const SOON = 10_000;
const BUSY = { status: 503, body: { code: 'SVC-BUSY-002' } };

/** A gateway in front of a model. */
class Scene {
  readonly gateway: TestGateway;
  readonly upstream: Upstream;

  private constructor(gateway: TestGateway, upstream: Upstream) {
    this.gateway = gateway;
    this.upstream = upstream;
  }

  static async open(here = true): Promise<Scene> {
    const upstream = await startUpstream();
    const route = { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } };
    const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
    const config = echoConfig({ providers, routes: { default: route, bare: { ...route, pipeline: {} } } });
    return new Scene(await TestGateway.start({ config, here }), upstream);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.dispose();
    await this.upstream.close();
  }

  /** A gateway that has said that it is stopping. */
  async stopping(): Promise<{ ended: Promise<number | null>; since: number }> {
    const since = performance.now();
    const ended = this.gateway.stop();
    await this.gateway.logged('stopping');
    return { ended, since };
  }

  /** A connection on which this was sent. Nobody reads from it. */
  async socket(sent: string): Promise<Socket> {
    const socket = connect(Number(new URL(this.gateway.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(sent);
    // Once a later connection was answered, the server has this one too.
    await this.gateway.get('/v1/health');
    return socket;
  }

  /** Of a request with a body of JSON. */
  head(path: string, length: number): string {
    const authorization = `Bearer ${this.gateway.key('alice')}`;
    const fields = ['host: x', `authorization: ${authorization}`, 'content-type: application/json', `content-length: ${length}`];
    return [`POST ${path} HTTP/1.1`, ...fields, '', ''].join('\r\n');
  }
}

// Each waits out the 5 s.
describe.concurrent('SIGTERM during work that does not end', () => {
  it('interrupts what does not finish in 5 s, with evidence, and ends with code 0', async () => {
    await using scene = await Scene.open(false);
    const { gateway, upstream } = scene;
    upstream.respond(stalled());
    const slow = gateway.chat('hello');
    const { disconnected } = await upstream.received(1);
    const { ended, since } = await scene.stopping();
    expect(await slow).toMatchObject(BUSY);
    const { headers } = await slow;
    expect(await ended).toBe(0);
    const took = performance.now() - since;
    expect(took).toBeGreaterThan(4500);
    expect(took).toBeLessThan(SOON);
    await disconnected;

    gateway.here = true;
    await gateway.launch();
    const evidence = [...(await evidenceByRun(gateway)).values()];
    expect(evidence).toMatchObject([{ status: 'error', principal_id: 'alice' }]);
    const types = evidence[0]?.events.map(({ event_type }) => event_type);
    expect(types).toEqual(expect.arrayContaining(['provider_call', 'interrupted', 'error']));
    // A caller that was cut off can still be told which run it was.
    expect(headers.get('x-svc-run-id')).toBe(evidence[0]?.run_id);
  });

  it('accepts no more decisions: the run stays paused', async () => {
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
    const { body: paused } = await gateway.chat('a wire transfer');
    upstream.respond(stalled());
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { ended } = await scene.stopping();
    const path = `/v1/runs/${paused.svc_run_id}/resume`;
    expect(await gateway.post(path, { decision: 'approved' }, 'bob').catch(() => BUSY)).toMatchObject(BUSY);
    await Promise.all([slow, ended]);
    await gateway.launch();
    expect((await gateway.post(path, { decision: 'approved' }, 'bob')).body).toMatchObject({ status: 'completed' });
  });

  it('interrupts a running background run, and keeps a waiting one for the next start', async () => {
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
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

  it('a client that has sent half of a body', async () => {
    await using scene = await Scene.open();
    const socket = await scene.socket(`${scene.head('/v1/runs', 100)}{"messages"`);
    const { ended, since } = await scene.stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(SOON);
    socket.destroy();
  });

  it('a client that does not read its answer', async () => {
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
    // More than the system buffers on either side.
    upstream.respond(answer('x'.repeat(16_000_000)));
    const body = JSON.stringify({ model: 'bare', messages: [{ role: 'user', content: 'hello' }] });
    const socket = await scene.socket(`${scene.head('/v1/chat/completions', body.length)}${body}`);
    await until(async () => (await gateway.get('/v1/audit?status=completed')).body.runs.length !== 0);
    const { ended, since } = await scene.stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(SOON);
    socket.destroy();
  });
});

describe('SIGTERM during work that ends', () => {
  it('lets runs finish in time, with their evidence', async () => {
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
    const model = held(answer('in time'));
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { ended, since } = await scene.stopping();
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
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
    const content = 'x'.repeat(16_000_000);
    const model = held(answer(content));
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello', { model: 'bare' });
    await upstream.received(1);
    const { ended } = await scene.stopping();
    model.release();
    expect((await slow).body.choices[0].message.content).toHaveLength(content.length);
    expect(await ended).toBe(0);
  });

  it('accepts no new work, on new or existing connections', async () => {
    await using scene = await Scene.open();
    const { gateway, upstream } = scene;
    const model = held(answer());
    upstream.respond(model.behaviour);
    const slow = gateway.chat('hello');
    await upstream.received(1);
    const { body: runs } = await gateway.get('/v1/audit');
    const { ended } = await scene.stopping();
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
});

describe('a client that does nothing does not prevent the server from stopping', () => {
  it.each([
    ['has sent nothing', ''],
    ['has sent half of a head', 'GET /v1/health HTTP/1.1\r\nhost: x\r\n'],
  ])('one that %s', async (_what, bytes) => {
    await using scene = await Scene.open();
    const socket = await scene.socket(bytes);
    const { ended, since } = await scene.stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(SOON);
    socket.destroy();
  });

  it('one that keeps its connection for a next request', async () => {
    await using scene = await Scene.open();
    const { gateway } = scene;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [response] = await once(get(`${gateway.url}/metrics`, { agent }), 'response');
    await text(response);
    const { ended, since } = await scene.stopping();
    expect(await ended).toBe(0);
    expect(performance.now() - since).toBeLessThan(4500);
    agent.destroy();
  });
});

describe('a folder of runs', () => {
  /** `svc serve` on the gateway's folder, to its end. */
  async function serveAgain(gateway: TestGateway): Promise<{ code: number | null; errors: string }> {
    const config = join(gateway.folder, 'svc.yaml');
    const args = [MAIN, 'serve', '--config', config, '--port', '0', '--runs-db', join(gateway.folder, 'runs-db')];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { code, errors };
  }

  it('is for one process: a second one is refused with code 1 and names the first', async () => {
    await using scene = await Scene.open(false);
    const { gateway } = scene;
    const { code, errors } = await serveAgain(gateway);
    expect(code).toBe(1);
    expect(errors).toMatch(new RegExp(`\\b${gateway.pid}\\b`));
    expect(errors.trim().split('\n')).toHaveLength(1);
    // The first one is none the worse for it.
    expect((await gateway.chat('hello')).status).toBe(200);
  });

  it('is free again after a kill -9', async () => {
    await using scene = await Scene.open(false);
    const { gateway } = scene;
    const { headers } = await gateway.chat('hello');
    await gateway.stop('SIGKILL');
    gateway.here = true;
    await gateway.launch();
    expect((await evidenceByRun(gateway)).has(headers.get('x-svc-run-id') ?? '')).toBe(true);
  });
});
