import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, completionOf, JSON_HEADERS, raw, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { LONG, pick, ROUNDS_TIMEOUT_MS, rounds, SEED } from './form.ts';
import { hostileAnswer, hostileRequest, ROUTES } from './hostile-messages.ts';
import type { Choose } from './hostile-values.ts';

/** On a quiet machine nothing holds the loop for longer; a busy one takes its threads away in between. */
const MAX_HOLD_MS = LONG ? 100 : 1_000;
/** The short form is the same each time; the long one looks for more. */
const CASES = LONG ? SEED : Number(process.env.SVC_FAULT_SEED ?? 7);
const AT_ONCE = 50;
const DIFFERENT = 5;
const MAX_RSS_BYTES = 1_000_000_000;

const TREE = {
  $defs: { node: { anyOf: [{ type: 'number' }, { type: 'array', items: { $ref: '#/$defs/node' } }, { type: 'object' }] } },
  anyOf: [{ $ref: '#/$defs/node' }, { type: 'array', items: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'array' }] } }],
};

let upstream: Upstream;
let gateway: TestGateway;
/** What the model server answers to a request that names it. */
const answers = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>();

beforeAll(async () => {
  upstream = await startUpstream(async (request, response) => {
    const asked = /hostile-answer-([\w-]+)\./.exec(request.text)?.[1];
    const hostile = asked === undefined ? undefined : answers.get(asked);
    if (hostile !== undefined) await raw(200, { 'content-type': hostile.type }, hostile.bytes)(request, response);
    else if (request.text.length < 100_000) await answer('fine')(request, response);
    else await raw(200, JSON_HEADERS, JSON.stringify(completionOf({}, 'fine')))(request, response);
  });
  const guards = ['mask', 'secrets', 'pii', 'injection'];
  const route = { provider: 'upstream', model: 'm' };
  gateway = await TestGateway.start({
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      packs: {
        secrets: {},
        pii: {},
        injection: {},
        schema: { schema: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } },
        tree: { type: 'schema', schema: TREE },
      },
      routes: {
        default: { ...route, pipeline: { ingress: guards, egress: ['mask', 'secrets', 'pii'] } },
        open: { ...route, pipeline: { ingress: [], egress: [] } },
        schema: { ...route, pipeline: { ingress: ['mask'], egress: ['schema'] } },
        tree: { ...route, pipeline: { ingress: ['mask'], egress: ['tree'] } },
      },
    }),
  });
});
afterAll(async () => {
  await gateway?.dispose();
  await upstream?.close();
});

type Kind = 'request' | 'whole answer' | 'streamed answer';
const BURSTS: readonly Kind[] = ['request', 'whole answer', 'streamed answer'];

/** A case of a name, the same for the same seed. */
function choices(name: string): Choose {
  return (purpose, among) => among[pick(`${name} ${purpose}`, among.length, CASES)] as (typeof among)[number];
}

/** What the gateway is to bear, and the request that leads to it. */
function caseOf(key: string, kind: Kind, choose: Choose) {
  if (kind === 'request') {
    const { name, path, text } = hostileRequest(choose);
    return { name, path, text };
  }
  const stream = kind === 'streamed answer';
  const { name, type, text } = hostileAnswer(choose, stream);
  const model = choose('route', ROUTES);
  answers.set(key, { type, bytes: Buffer.from(text) });
  const messages = [{ role: 'user', content: `hostile-answer-${key}.` }];
  return { name: `${name}, to ${model}`, path: '/v1/chat/completions', text: JSON.stringify({ model, messages, stream }) };
}

/** An answer of the gateway is one that is documented: a completion, a run, a whole stream, or an error. */
async function expectAnswered(path: string, body: string): Promise<void> {
  const { status, headers, text } = await gateway.request('POST', path, { body });
  if (status === 200 && headers.get('content-type')?.startsWith('text/event-stream')) {
    expect(text.endsWith('data: [DONE]\n\n') || text.includes('"error":{')).toBe(true);
    return;
  }
  const answered: { code?: keyof typeof ERROR_CODES; detail?: string; choices?: unknown; run_id?: unknown } = JSON.parse(text);
  if (status === 200) {
    expect(answered.choices ?? answered.run_id).toBeDefined();
    return;
  }
  const { code, detail } = answered;
  expect(Object.keys(ERROR_CODES)).toContain(code);
  expect(detail?.startsWith(`${code}: `)).toBe(true);
  // The upstream's own status is passed on where the caller can act on it.
  if (code !== 'SVC-PROV-003') expect(status).toBe(code === undefined ? null : ERROR_CODES[code].status);
}

/** How often the loop of the gateway was not held for longer than each bound, as it was told last. */
let told = new Map<number, number>();

/** How long the loop of the gateway was held at most since this was asked last: the bound that no hold was above. */
async function longestHold(): Promise<number> {
  const { text } = await gateway.get('/metrics', null);
  const buckets = [...text.matchAll(/^svc_event_loop_delay_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
  expect(buckets.length).toBeGreaterThan(5);
  const counts = new Map(
    buckets.map(([, le = '', count]) => [le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), Number(count)]),
  );
  const since = new Map([...counts].map(([le, count]) => [le, count - (told.get(le) ?? 0)]));
  told = counts;
  const [longest = 0] = [...since].find(([, count]) => count === since.get(Number.POSITIVE_INFINITY)) ?? [];
  return longest * 1_000;
}

async function healthy(): Promise<void> {
  expect((await gateway.get('/v1/health')).body.status).toBe('ok');
}

/** Most memory that the process ever had; null where there is no /proc. */
function peakRss(pid: number): number | null {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return null;
  }
}

/** What a case showed, for who looks for the cause. */
function report(line: string): void {
  if (LONG) process.stdout.write(`${line}\n`);
}

describe(`structures that are built to cause harm, seed ${CASES}`, () => {
  it(`each is answered, and none blocks the event loop for more than ${MAX_HOLD_MS} ms`, {
    timeout: ROUNDS_TIMEOUT_MS,
  }, async () => {
    const held: string[] = [];
    await longestHold();
    for (const round of rounds(20, 200)) {
      const choose = choices(`round ${round}`);
      const kind = choose('kind', ['request', ...BURSTS] as const);
      const { name, path, text } = caseOf('single', kind, choose);
      const pid = gateway.pid;
      await Promise.all([expectAnswered(path, text), healthy()]).catch((error: unknown) => {
        throw new Error(`round ${round}, ${name}: ${gateway.output.slice(-2_000)}`, { cause: error });
      });
      const ms = await longestHold();
      report(`${ms.toFixed(0).padStart(6)} ms  round ${round}, ${name}`);
      if (ms > MAX_HOLD_MS) held.push(`${ms.toFixed(0)} ms by round ${round}, ${name}`);
      expect(gateway.pid).toBe(pid);
    }
    expect(held).toEqual([]);
  });

  it.each(BURSTS)(
    `${AT_ONCE} at once neither end the process nor use more than a gigabyte: a %s each`,
    { timeout: ROUNDS_TIMEOUT_MS },
    async (kind) => {
      const { pid } = gateway;
      for (const burst of rounds(1, 4)) {
        // A few, each sent several times: 50 different ones are a gigabyte for the test, too.
        const cases = Array.from({ length: DIFFERENT }, (_, n) => {
          const choose = choices(`${kind} ${burst} ${n}`);
          return caseOf(
            String(n),
            kind,
            (purpose, among) => (purpose.endsWith(' share') ? among.at(-1) : undefined) ?? choose(purpose, among),
          );
        });
        let open = true;
        const watched = (async () => {
          while (open) await healthy();
        })();
        const all = Array.from({ length: AT_ONCE }, (_, n) => cases[n % DIFFERENT]).filter((hostile) => hostile !== undefined);
        const answered = await Promise.allSettled(all.map(({ path, text }) => expectAnswered(path, text)));
        open = false;
        await watched;
        const rss = peakRss(pid);
        for (const { name } of cases) report(`        ${name}`);
        report(`${AT_ONCE} at once: ${((rss ?? 0) / 1e6).toFixed(0)} MB`);
        for (const [n, end] of answered.entries())
          if (end.status === 'rejected') throw new Error(`burst ${burst}, ${all[n]?.name}`, { cause: end.reason });
        if (rss !== null) expect(rss).toBeLessThan(MAX_RSS_BYTES);
      }
      expect(gateway.pid).toBe(pid);
      await healthy();
    },
  );
});
