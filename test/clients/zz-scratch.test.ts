import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { it } from 'vitest';
import { freePort } from '../bench/processes.ts';
import { TestGateway } from '../harness/gateway.ts';
const run = promisify(execFile);
it('x', { timeout: 900_000 }, async () => {
  const port = await freePort();
  const pack = JSON.parse(process.env.PACK ?? '{"restore":true}');
  const gateway = await TestGateway.start({
    config: {
      providers: { capture: { type: 'openai', base_url: `http://127.0.0.1:${port}/v1`, region: 'eu' } },
      packs: { pii: pack },
      routes: { default: { provider: 'capture', model: 'm-1', pipeline: { ingress: ['pii'], egress: ['pii'] } } },
    },
  });
  const out = await run('/tmp/plb/v/bin/pii-leak-benchmark-v2', ['--validate', '--out', '/tmp/plb/out', '--only', 'svc', '--gateway-url', `${gateway.url}/v1/chat/completions`, '--upstream-port', String(port), '--seed', 'a1b2c3d4e5f60001', '--json-out', '/tmp/plb/out/summary.json', '--model', 'default', '--oracle', process.env.ORACLE ?? 'midpoint', '--partial-emission'], { env: { ...process.env, CONFORMANCE_TARGET_API_KEY: gateway.key('alice') } }).catch((e) => e);
  console.log(out.stdout, out.stderr);
  await gateway.dispose();
});
