import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../bench/processes.ts';
import { LONG } from '../fault/form.ts';
import { TestGateway } from '../harness/gateway.ts';
import { skipsPython } from '../harness/python.ts';
import { pythonPackages } from '../harness/python-packages.ts';

const run = promisify(execFile);
/** Of installing it from an index, and of 10,000 requests on a busy machine. */
const LIMIT_MS = 1_800_000;
const VERSION = '0.6.0';
/** Where values are cut: at each place and, in the long form, at each two places. */
const ORACLE = LONG ? 'union-worst-case' : 'exhaustive-2-part';
/** Selects the values of the corpus. Another seed gives other values of the same forms. */
const SEED = 'a1b2c3d4e5f60001';
/** Its command `pii-leak-benchmark-v2`, which leaves out all that the gateway generates. Its capture writes each event by itself, and would wait 40 ms for an acknowledgement each time. */
const COMMAND = `import socketserver, sys
sys.path.insert(0, sys.argv.pop(1))
import pii_leak_envelope
socketserver.StreamRequestHandler.disable_nagle_algorithm = True
from pii_leak_benchmark.v2_cli import main
sys.exit(main())`;

describe.skipIf(skipsPython('pii-leak-benchmark'))(
  'pii with restore: all, measured by pii-leak-benchmark',
  { timeout: LIMIT_MS },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-leak-'));
    let bin: string;
    let port: number;
    let gateway: TestGateway;

    beforeAll(async () => {
      bin = await pythonPackages(`pii-leak-benchmark-${VERSION}`, [[`pii-leak-benchmark==${VERSION}`]]);
      port = await freePort();
      const capture = `http://127.0.0.1:${port}`;
      const route = (provider: string): JsonObject => ({
        provider,
        model: 'm-1',
        pipeline: { ingress: ['pii'], egress: ['pii'] },
      });
      gateway = await TestGateway.start({
        config: {
          providers: {
            chat: { type: 'openai', base_url: `${capture}/v1`, region: 'eu' },
            messages: { type: 'anthropic', base_url: capture, region: 'eu' },
            responses: { type: 'openai', api: 'responses', base_url: `${capture}/v1`, region: 'eu' },
          },
          packs: { pii: { restore: 'all' } },
          routes: { default: route('chat'), chat: route('chat'), messages: route('messages'), responses: route('responses') },
        },
      });
    }, LIMIT_MS);
    afterAll(async () => {
      await gateway?.dispose();
      rmSync(folder, { recursive: true, force: true });
    });

    it('by its own command: no leak, however a value is cut, and every value of the caller is restored', async () => {
      const out = join(folder, 'summary.json');
      const target = ['--gateway-url', `${gateway.url}/v1/chat/completions`, '--upstream-port', String(port), '--model', 'chat'];
      const options = ['--oracle', ORACLE, '--partial-emission', '--seed', SEED, '--only', 'svc'];
      await run(
        join(bin, 'python'),
        ['-c', COMMAND, import.meta.dirname, ...target, ...options, '--out', folder, '--json-out', out],
        {
          env: { ...process.env, CONFORMANCE_TARGET_API_KEY: gateway.key('alice') },
        },
      );
      const { rows } = JSON.parse(readFileSync(out, 'utf8'));
      const clean = { leak_single_chunk: 0, leak_adversarial: 0, delta_frag: 0, request_path_leak: [] };
      expect(rows).toMatchObject([{ ...clean, fidelity_rate: 1, inconclusive: 0, echo_observable: 32, outcome: 'pass' }]);
      const { metrics } = JSON.parse(readFileSync(join(folder, 'svc.partial-emission.json'), 'utf8'));
      expect(metrics).toMatchObject({ cases_applicable: 32, cases_partial_emission: 0 });
    });

    it('over the other protocols, whole and streamed, and over chat whole', async () => {
      const program = [join(import.meta.dirname, 'pii-leak.py'), gateway.url, gateway.key('alice'), String(port), SEED, ORACLE];
      const { stdout } = await run(join(bin, 'python'), program, { maxBuffer: 1e8 });
      const measured: JsonObject[] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(measured.map(({ protocol, streamed }) => [protocol, streamed])).toEqual([
        ['chat', false],
        ...['messages', 'responses'].flatMap((protocol) => [false, true].map((streamed) => [protocol, streamed])),
      ]);
      for (const one of measured) {
        const cases = one.streamed === true ? 32 : 16;
        expect(one).toMatchObject({ leak_rate: 0, delta_frag: 0, partial_emissions: 0, sent_upstream: 0, fidelity_rate: 1 });
        expect(one.echo_observable).toBe(cases);
        expect(Number(one.responses)).toBeGreaterThanOrEqual(cases);
      }
    });
  },
);
