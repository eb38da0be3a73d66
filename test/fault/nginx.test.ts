import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, held, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { skipsNginx, TestNginx } from '../harness/nginx.ts';

const REQUESTS = 40;
const TIMEOUT = { timeout: 120_000 };

let upstream: Upstream;
let gateways: readonly [TestGateway, TestGateway];
let nginx: TestNginx;

/** A gateway that is known by the model that it asks for. */
function startGateway(model: string, here: boolean): Promise<TestGateway> {
  const providers = { upstream: { type: 'openai', base_url: upstream.url, timeout_ms: 300_000 } };
  const config = echoConfig({
    providers,
    routes: { default: { provider: 'upstream', model, pipeline: {} } },
    server: { keep_alive_ms: 100 },
  });
  return TestGateway.start({ config, args: ['--no-auth'], here });
}

describe.skipIf(skipsNginx)('deploy/nginx.conf with the real nginx', () => {
  beforeEach(async () => {
    upstream = await startUpstream();
  });

  /** @param killed gateways that may be, in processes of their own */
  async function start(...killed: number[]): Promise<void> {
    gateways = await Promise.all([startGateway('first', !killed.includes(0)), startGateway('second', !killed.includes(1))]);
    nginx = await TestNginx.start([gateways[0].url, gateways[1].url]);
    // From here on it has a kept connection to each.
    for (let n = 0; n < 4; n += 1) expect(await nginx.chat('default')).toBe(200);
    expect(new Set(askedModels())).toEqual(new Set(['first', 'second']));
  }

  afterEach(async () => {
    await nginx?.dispose();
    for (const gateway of gateways) await gateway.dispose();
    await upstream.close();
  });

  const askedModels = (): unknown[] => upstream.requests.map(({ body }) => (body as { model?: unknown }).model);

  it.each([0, 1])('gateway %i is down: every request is answered, and paid for once', TIMEOUT, async (down) => {
    await start(down);
    await gateways[down]?.stop('SIGKILL');
    const before = upstream.requests.length;
    const statuses: number[] = [];
    for (let n = 0; n < REQUESTS; n += 1) statuses.push(await nginx.chat('default'));
    expect(statuses).toEqual(Array.from({ length: REQUESTS }, () => 200));
    expect(upstream.requests.length - before).toBe(REQUESTS);
  });

  it('the keep-alive of a silent stream arrives at once', TIMEOUT, async () => {
    await start();
    const model = held(answer());
    upstream.respond(model.behaviour);
    expect(await nginx.firstOfStream('default')).toBe(': keep-alive\n\n');
    model.release();
  });

  it('a gateway breaks its kept connection after it has read a request: the model is called once', TIMEOUT, async () => {
    await start(0, 1);
    const before = upstream.requests.length;
    const model = held(answer());
    upstream.respond(model.behaviour);
    const lost = nginx.chat('default');
    await upstream.received(before + 1);
    await gateways[askedModels().at(-1) === 'first' ? 0 : 1].stop('SIGKILL');
    expect(await lost).toBe(502);
    expect(upstream.requests).toHaveLength(before + 1);
    model.release();
    // The other one serves on.
    expect(await nginx.chat('default')).toBe(200);
  });
});
