import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../host/src/replay/report.ts';
import { echoConfig, type GatewayConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';
import { until } from '../harness/until.ts';

/** In every text, and never in an output. */
const PRIVATE = 'zebra-4711';
const RUNS_OF_A_SESSION = 450;
const REPLAYED = 12 + RUNS_OF_A_SESSION;

const recorded = echoConfig({
  server: { record_content: true },
  routes: { old: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } } },
});

let gateway: TestGateway;
/** Ids of runs by what happened to them. */
const made: Record<string, string> = {};
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: recorded,
    packages: ['ponders'],
    principals: [{ principal_id: 'alice' }, { principal_id: 'bob', roles: ['approve', 'audit'] }],
  });
  for (const [name, content] of Object.entries({
    fine: 'fine',
    secret: 'the codename',
    masked: 'ACC-1',
    blocked: 'forbidden',
    waiting: 'a wire transfer',
    approved: 'one more wire transfer',
    erased: 'forget this',
    mail: 'write to alice@example.org',
  }))
    made[name] = await run(content);
  made.streamed = await run('the codename', { stream: true });
  await sendInOtherWays();
  made.gone = await run('fine', { model: 'old' });
  await gateway.post(`/v1/runs/${made.approved}/resume`, { decision: 'approved' }, 'bob');
  await gateway.request('DELETE', `/v1/runs/${made.erased}/content`);
  for (let n = 0; n < RUNS_OF_A_SESSION; n += 30)
    await Promise.all(Array.from({ length: 30 }, (_, i) => run(`number ${n + i}`, {}, 'long-session')));
});
afterAll(() => gateway.dispose());

/** Over the other APIs, in a conversation, and as a check. */
async function sendInOtherWays(): Promise<void> {
  const idOf = ({ headers }: { headers: Headers }): string => String(headers.get('x-svc-run-id'));
  const messages = [{ role: 'user', content: `the codename ${PRIVATE}` }];
  made.messages = idOf(await gateway.post('/v1/messages', { model: 'default', max_tokens: 10, messages }));
  const first = await gateway.post('/v1/responses', { model: 'default', input: `fine ${PRIVATE}` });
  made.response = idOf(first);
  const next = { model: 'default', input: `the codename ${PRIVATE}`, previous_response_id: first.body.id };
  made.continued = idOf(await gateway.post('/v1/responses', next));
  made.checked = (
    await gateway.post('/v1/guard', { route: 'default', text: `the codename ${PRIVATE}`, evidence: true })
  ).body.run_id;
}

async function run(content: string, more: JsonObject = {}, session?: string): Promise<string> {
  const body = { model: 'default', messages: [{ role: 'user', content: `${content} ${PRIVATE}` }], ...more };
  const headers: Record<string, string> = session === undefined ? {} : { 'x-svc-session': session };
  return String((await gateway.request('POST', '/v1/chat/completions', { body, headers })).headers.get('x-svc-run-id'));
}

/** The new configuration: also blocks a codename, masks mails, and lets wire transfers pass. */
function next(packs: JsonObject = {}, pipeline: JsonObject = {}): string {
  const { providers } = recorded;
  const config: GatewayConfig = {
    providers,
    packs: {
      mask: (recorded.packs as JsonObject).mask as JsonObject,
      names: {
        type: 'rules',
        rules: [
          { name: 'codename', words: ['codename'], verdict: 'block' },
          { name: 'forbidden', words: ['forbidden'], verdict: 'block' },
        ],
      },
      pii: { entities: ['EMAIL_ADDRESS'] },
      ...packs,
    },
    routes: {
      default: {
        provider: 'local',
        model: 'echo-1',
        pipeline: { ingress: ['mask', 'names', 'pii'], egress: ['mask'], ...pipeline },
      },
    },
  };
  const file = join(gateway.folder, 'next.yaml');
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const END = new Date(Date.now() + 3_600_000).toISOString();

const command = (args: readonly string[]): string[] => [
  'replay',
  ...args,
  '--config',
  join(gateway.folder, 'svc.yaml'),
  '--runs-db',
  join(gateway.folder, 'runs-db'),
];
/** Without a child process. */
const ALONE = { SVC_ISOLATED: '1' };

function start(args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [MAIN, ...command(args)], { env: { ...process.env, ...env } });
}

async function svcProcess(...args: string[]) {
  const child = start(args);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** In the test process, once the server in it is stopped. */
async function svc(...args: string[]) {
  const { status: code, ...said } = await svcHere(command(args), { env: ALONE });
  return { code, ...said };
}

async function report(file: string, ...args: string[]): Promise<ReplayReport> {
  const { code, stdout, stderr } = await svc(file, '--until', END, '--json', ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const idsOf = ({ runs }: ReplayReport) =>
  Object.fromEntries(Object.entries(runs).map(([change, listed]) => [change, listed.map(({ run_id }) => run_id)]));

/** LMDB lists its readers in `lock.mdb`. */
const digestsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== 'lock.mdb')
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]);

/** What a replay of {@link next} must find. */
function expectChanges(found: ReplayReport): void {
  const newest = (...names: string[]) =>
    names
      .map((name) => made[name])
      .toSorted()
      .reverse();
  expect(idsOf(found)).toEqual({
    newly_blocked: newest('secret', 'streamed', 'messages', 'continued', 'checked'),
    newly_paused: [],
    newly_masked: [made.mail],
    freed: newest('approved', 'waiting'),
  });
  expect(found).toMatchObject({
    replayed: REPLAYED,
    not_replayed: {
      runs: 2,
      reasons: [
        { why: 'route_missing', runs: 1, run_ids: [made.gone] },
        { why: 'erased', runs: 1, run_ids: [made.erased] },
      ],
      missing_routes: [{ route: 'old', runs: 1 }],
    },
    outcomes: { blocked: { blocked: 1 }, paused: { passed: 2 } },
    by_session: [],
    more_sessions: 1,
  });
}

describe('with a server that is running', () => {
  it('reads a copy of the runs-db, and removes it', async () => {
    const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-replay-'));
    const before = copies();
    const { stderr, stdout, code } = await svcProcess(next(), '--until', END, '--json');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('copy');
    expectChanges(JSON.parse(stdout));
    expect(copies()).toEqual(before);
  });
});

describe('with a server that was stopped', () => {
  beforeAll(async () => {
    await gateway.stop();
  });

  it('finds what changes, and leaves the runs-db as it is', async () => {
    const folder = join(gateway.folder, 'runs-db');
    const before = digestsIn(folder);
    expectChanges(await report(next()));
    expect(digestsIn(folder)).toEqual(before);
  });

  it('writes the same report each time', async () => {
    const [first, second] = [await svcProcess(next(), '--until', END, '--json'), await svc(next(), '--until', END, '--json')];
    expect(first.stdout).toBe(second.stdout);
    const [page, other] = ['a.html', 'b.html'].map((name) => join(gateway.folder, name)) as [string, string];
    const texts = [await svc(next(), '--until', END, '--html', page), await svc(next(), '--until', END, '--html', other)];
    expect(texts[0]?.stdout).toBe(texts[1]?.stdout);
    expect(readFileSync(page, 'utf8')).toBe(readFileSync(other, 'utf8'));
  });

  it('shows ids, guards and codes, and no text', async () => {
    const page = join(gateway.folder, 'page.html');
    const { stdout, stderr } = await svc(next(), '--html', page);
    const html = readFileSync(page, 'utf8');
    for (const shown of [stdout, html]) {
      for (const known of [String(made.secret), String(made.erased), 'names', 'codename', 'pii']) expect(shown).toContain(known);
      for (const hidden of [PRIVATE, 'ACC-1', 'alice@example.org', 'the codename']) expect(shown).not.toContain(hidden);
    }
    expect(stderr).not.toContain(PRIVATE);
    const [first] = stdout.split('\n').slice(1);
    expect(first).toContain('not replayed: 2 runs');
  });

  it('selects runs by time and route', async () => {
    expect((await report(next(), '--since', '1h')).replayed).toBe(REPLAYED);
    expect((await report(next(), '--since', END)).not_replayed.of).toBe(0);
    expect(await report(next(), '--route', 'old')).toMatchObject({ replayed: 0, not_replayed: { of: 1 } });
  });

  it('counts by guard and session', async () => {
    const found = await report(
      next(
        { numbers: { type: 'rules', rules: [{ name: 'seven', match: 'number \\d*7\\b', verdict: 'require_approval' }] } },
        { ingress: ['numbers'] },
      ),
    );
    const newly = RUNS_OF_A_SESSION / 10;
    expect(found.changes.newly_paused).toMatchObject({ runs: newly, of: REPLAYED });
    expect(found.by_session).toMatchObject([
      { principal: 'alice', session: 'long-session', runs: RUNS_OF_A_SESSION, newly_paused: { runs: newly } },
    ]);
    expect(found.by_guard.find(({ guard }) => guard === 'numbers')).toMatchObject({ newly_paused: { runs: newly } });
    expect(found.approvals.by_day.reduce((sum, { after }) => sum + after, 0)).toBe(newly);
  });

  it.each<[number, string[]]>([
    [0, ['--fail-if', 'newly_blocked>2%']],
    [3, ['--fail-if', 'newly_blocked>0']],
    [3, ['--fail-if', 'newly_blocked>2%', '--fail-if', 'freed>=2']],
    [3, ['--fail-if', 'not_replayed>=1']],
    [1, ['--fail-if', 'newly_blocked>2%', '--since', END]],
    [2, ['--fail-if', 'blocked>1%']],
    [2, ['--since', 'yesterday']],
    [1, ['--resume', '/dev/null/state']],
  ])('ends with %i for %j', async (code, args) => {
    const ended = await svc(next(), '--until', END, ...args);
    expect(ended.code, ended.stderr).toBe(code);
  });

  it.each<[string, string[]]>([
    ['a configuration that is not there', ['none.yaml']],
    ['no configuration', []],
  ])('refuses %s', async (_, args) => {
    const { code, stdout, stderr } = await svc(...args);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('without the content key creates none', async () => {
    const config = join(gateway.folder, 'elsewhere.yaml');
    writeFileSync(config, JSON.stringify({ ...recorded, store: { content_key_file: 'other.key' } }));
    const args = ['replay', next(), '--config', config, '--runs-db', join(gateway.folder, 'runs-db')];
    const { status, stderr } = await svcHere(args, { env: ALONE });
    expect(status).toBe(1);
    expect(stderr).toContain('other.key');
    expect(existsSync(join(gateway.folder, 'other.key'))).toBe(false);
  });

  it('killed in the middle and resumed gives the same report', async () => {
    // Takes two seconds or more. The state is written after one.
    const ponders = { type: 'ponders', work_ms: 5, timeout_ms: 60_000 };
    const file = next({ ponders }, { egress: ['mask', 'ponders'] });
    const state = join(gateway.folder, 'replay.state');
    const whole = await svcProcess(file, '--until', END, '--json');
    const args = [file, '--until', END, '--json', '--resume', state];
    // A child process would continue.
    const killed = start(args, ALONE);
    const ended = once(killed, 'exit');
    await until(() => existsSync(state) || killed.exitCode !== null);
    killed.kill('SIGKILL');
    await ended;
    expect(killed.signalCode).toBe('SIGKILL');
    expect(readFileSync(state, 'utf8')).not.toContain(PRIVATE);
    const resumed = await svcProcess(...args);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stdout).toBe(whole.stdout);
    const countIn = (stderr: string): number => Number(/read (\d+) runs/.exec(stderr)?.[1]);
    expect(countIn(resumed.stderr)).toBeLessThan(countIn(whole.stderr));
    expect(existsSync(state)).toBe(false);
    writeFileSync(state, '{}');
    expect((await svc(...args)).code).toBe(1);
  });
});
