import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { MAIN } from './gateways.ts';
import type { Options } from './options.ts';
import { freePort, type Processes } from './processes.ts';
import { timesOf } from './statistics.ts';

/** The time that a guard in both stages adds to a request, compared with the same route without it. */
export interface GuardRow {
  readonly guard: string;
  readonly kilobytes: number;
  readonly requests: number;
  readonly added_p50_ms: number;
  readonly added_p99_ms: number;
  /** Of the route without guards. */
  readonly p50_ms: number;
  readonly p99_ms: number;
}

const GUARDS: Readonly<Record<string, object>> = {
  pii: { type: 'pii' },
  'pii, patterns': { type: 'pii', exclude: ['PERSON'] },
  secrets: { type: 'secrets' },
};
const KILOBYTES = [1, 10, 100];
const WARM_UP = 30;
const MAX_REQUESTS = 1_000;

/** Prose in the style of customers, with something to find in every few sentences. */
const SENTENCES = [
  'Good morning, I have a question about the invoice that arrived last week.',
  'My name is Maria Keller and you can reach me at maria.keller@example.com or on +44 20 7946 0958.',
  'The amount is not what we agreed on when we spoke in March, and nobody could tell me why.',
  'Please look at the order again; it was paid from GB82 WEST 1234 5698 7654 32 two days later.',
  'If the difference is a fee, I would like to know which one, and where it is written down.',
  'My colleague Peter van der Berg will be in the office on Monday, should you want to call.',
];

export async function measureGuards(
  folder: string,
  upstream: number,
  processes: Processes,
  options: Options,
): Promise<GuardRow[]> {
  const port = await freePort();
  const home = join(folder, 'guards');
  mkdirSync(home);
  const key = `svc-${randomBytes(32).toString('hex')}`;
  const config = join(home, 'svc.yaml');
  writeFileSync(config, JSON.stringify(configuration(key, upstream)));
  const args = [MAIN, 'serve', '--config', config, '--port', String(port), '--runs-db', join(home, 'runs-db')];
  await processes.serve('measured', 'guards', port, args, { alone: true });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const rows: GuardRow[] = [];
  for (const kilobytes of KILOBYTES) {
    const text = textOf(kilobytes * 1000);
    const routes = ['plain', ...Object.keys(GUARDS).map(routeOf)];
    const millis = new Map(routes.map((route) => [route, [] as number[]]));
    const ask = (route: string): Promise<number> =>
      timed(agent, port, key, JSON.stringify({ model: route, messages: [{ role: 'user', content: text }] }));
    for (let n = 0; n < WARM_UP; n += 1) for (const route of routes) await ask(route);
    const until = performance.now() + options.seconds * options.rounds * 1000;
    // Alternates between routes, so that other work on the machine affects all of them.
    while (performance.now() < until && (millis.get('plain')?.length ?? 0) < MAX_REQUESTS) {
      for (const route of routes) millis.get(route)?.push(await ask(route));
    }
    const plain = timesOf(millis.get('plain') ?? []);
    for (const guard of Object.keys(GUARDS)) {
      const guarded = timesOf(millis.get(routeOf(guard)) ?? []);
      rows.push({
        guard,
        kilobytes,
        requests: millis.get('plain')?.length ?? 0,
        added_p50_ms: guarded.p50 - plain.p50,
        added_p99_ms: guarded.p99 - plain.p99,
        p50_ms: plain.p50,
        p99_ms: plain.p99,
      });
    }
  }
  agent.destroy();
  await processes.endMeasured();
  return rows;
}

function routeOf(guard: string): string {
  return guard.replaceAll(/\W+/g, '-');
}

function configuration(key: string, upstream: number): object {
  const route = { provider: 'upstream', model: 'whole' };
  const guarded = Object.keys(GUARDS).map((guard) => {
    const name = routeOf(guard);
    return [name, { ...route, pipeline: { ingress: [name], egress: [name] } }];
  });
  return {
    auth: { keys: [{ principal_id: 'bench', key_hash: `sha256:${createHash('sha256').update(key).digest('hex')}` }] },
    providers: { upstream: { type: 'openai', base_url: `http://127.0.0.1:${upstream}/v1` } },
    packs: Object.fromEntries(Object.entries(GUARDS).map(([guard, options]) => [routeOf(guard), options])),
    routes: { plain: route, ...Object.fromEntries(guarded) },
  };
}

function textOf(length: number): string {
  let text = '';
  for (let n = 0; text.length < length; n += 1) text += `${SENTENCES[n % SENTENCES.length]} `;
  return text.slice(0, length);
}

/**
 * Milliseconds from the request to the end of its answer.
 * @throws {Error} unless the status is 200
 */
function timed(agent: Agent, port: number, key: string, body: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const began = performance.now();
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const asked = request({ agent, port, host: '127.0.0.1', method: 'POST', path: '/v1/chat/completions', headers }, (answer) => {
    answer.resume();
    answer.once('end', () =>
      answer.statusCode === 200 ? resolve(performance.now() - began) : reject(new Error(`status ${answer.statusCode}`)),
    );
  });
  asked.once('error', reject);
  asked.end(body);
  return promise;
}
