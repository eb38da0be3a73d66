import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({ prices: { models: { 'echo-1': { input: 100, output: 200 } } } }),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', roles: ['approve'] },
      { principal_id: 'ada', roles: ['audit', 'call'] },
      { principal_id: 'eva', roles: ['approve', 'audit'] },
    ],
  });
});
afterAll(() => gateway.dispose());

function start(words: string, principal: string) {
  const args = [MAIN, ...words.split(' '), '--server', gateway.url];
  return spawn(process.execPath, args, { env: { ...process.env, SVC_KEY: gateway.key(principal) } });
}

async function svc(words: string, principal = 'ada', server = gateway.url) {
  const args = [...words.split(' '), '--server', server];
  const { status: code, ...said } = await svcHere(args, { env: { SVC_KEY: gateway.key(principal) } });
  return { code, ...said };
}

async function run(content: string, session?: string): Promise<string> {
  const headers = session === undefined ? {} : { 'x-svc-session': session };
  const body = { messages: [{ role: 'user', content }] };
  return (await gateway.request('POST', '/v1/runs', { principal: 'alice', headers, body })).body.run_id;
}

interface Served {
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

/** The URL of a server that answers as the gateway does, except for what `alter` changes. */
async function altered(alter: (served: Served) => Partial<Served>): Promise<string> {
  const server = createServer(async ({ url: path = '', headers }, response) => {
    const answer = await fetch(`${gateway.url}${path}`, { headers: { authorization: headers.authorization ?? '' } });
    const served = { path, status: answer.status, body: await answer.text() };
    const { status, body } = { ...served, ...alter(served) };
    const evidence = answer.headers.get('x-svc-evidence');
    response.writeHead(status, evidence === null ? {} : { 'x-svc-evidence': evidence }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ofProof = ({ path }: Served) => path.startsWith('/v1/audit/ledger/proof');
const ofKeys = ({ path }: Served) => path === '/v1/audit/ledger/keys';
const ofRun = ({ path }: Served) => /^\/v1\/runs\/[^/]+$/.test(path);

it('lists, shows, approves and denies a paused run', async () => {
  const run_id = await run('wire transfer');
  expect((await svc('runs list --status paused', 'bob')).stdout).toContain(run_id);
  const { pending } = JSON.parse((await svc(`runs show ${run_id} --json`, 'bob')).stdout);
  expect(await svc(`runs approve ${run_id} --digest sha256:other`, 'bob')).toMatchObject({ code: 1, stdout: '' });
  const approved = await svc(`runs approve ${run_id} --digest ${pending.digest} --json`, 'bob');
  expect([approved.code, JSON.parse(approved.stdout).status]).toEqual([0, 'completed']);
  expect((await svc(`runs deny ${await run('wire transfer')}`, 'bob')).stdout).toMatch(/denied/);
});

it('explains a run with its evidence', async () => {
  const run_id = await run('hello');
  const { code, stdout } = await svc('explain --last --json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { run: { run_id }, evidence: { verdict: 'self_attested' } }]);
  const key = JSON.parse((await svc('ledger keys --json')).stdout).verifier_keys[0];
  expect(JSON.parse((await svc(`explain ${run_id} --json --key ${key}`)).stdout).evidence.verdict).toBe('anchored');
  expect((await svc(`explain ${run_id}`)).stdout).toContain('SELF-ATTESTED ONLY');
});

it('explains what was stored: what the model was sent, the reason of the decision, findings, cost and record', async () => {
  const headers = { 'x-svc-keep': 'request', 'x-svc-session': 's-stored' };
  const body = { model: 'default', messages: [{ role: 'user', content: 'a wire transfer from ACC-1 and ACC-2' }] };
  const paused = await gateway.request('POST', '/v1/chat/completions', { principal: 'alice', headers, body });
  const run_id = String(paused.headers.get('x-svc-run-id'));
  expect(await svc(`runs approve ${run_id} --reason checked-by-phone`, 'eva')).toMatchObject({ code: 0 });
  const { code, stdout } = await svc(`explain ${run_id} --json`, 'eva');
  const { run: shown, sent, why, decisions, cost, evidence } = JSON.parse(stdout);
  expect([code, why, sent.messages]).toEqual([
    0,
    '',
    [{ role: 'user', content: 'a wire transfer from <ACCOUNT> and <ACCOUNT>' }],
  ]);
  expect(decisions).toMatchObject([{ principal_id: 'eva', decision: 'approved', reason: 'checked-by-phone' }]);
  const verdicts = shown.events.filter(({ event_type }: { event_type: string }) => event_type === 'verdict');
  expect(verdicts[0]).toMatchObject({
    node: 'mask',
    data: { code: 'account', findings: [{ entity_type: 'account', count: 2 }] },
  });
  const called = shown.events.find(({ event_type }: { event_type: string }) => event_type === 'provider_call');
  expect(cost).toMatchObject({ calls: 1, micro_usd: called.data.price.micro_usd, input_tokens: called.data.usage.input_tokens });
  expect(cost.micro_usd).toBeGreaterThan(0);
  const answer = await gateway.get(`/v1/runs/${run_id}`, 'eva');
  expect(`${evidence.seq} ${evidence.hash}`).toBe(answer.headers.get('x-svc-evidence'));
  expect(evidence.verdict).toBe('self_attested');

  const words = (await svc(`explain ${run_id}`, 'eva')).stdout;
  for (const said of [
    'requested by alice',
    'session s-stored',
    'reason of eva: checked-by-phone',
    'from <ACCOUNT> and <ACCOUNT>',
  ])
    expect(words).toContain(said);
  expect(words).toMatch(/account.*2/);
  expect(words).toMatch(new RegExp(`cost: .*${cost.input_tokens} tokens in`));
  expect(words).toContain(`record ${evidence.seq} (${evidence.hash})`);
  // An auditor sees the trail, and no content.
  const audited = JSON.parse((await svc(`explain ${run_id} --json`)).stdout);
  expect([audited.sent, audited.decisions, audited.cost]).toEqual([null, [], cost]);
  expect(audited.why).not.toBe('');
});

it.each<[string, (served: Served) => Partial<Served>, string, number]>([
  [
    'a proof that was changed',
    (served) => (ofProof(served) ? { body: served.body.replace(/index \d+/, 'index 0') } : {}),
    'broken',
    1,
  ],
  ['a record that is not in the ledger', (served) => (ofProof(served) ? { status: 400, body: '{}' } : {}), 'broken', 1],
  [
    'another history than the record',
    (served) => (ofRun(served) ? { body: served.body.replace('"ingress"', '"egress"') } : {}),
    'broken',
    1,
  ],
  ['a proof that the server cannot make now', (served) => (ofProof(served) ? { status: 503 } : {}), 'not_checked', 0],
  ['keys that the server cannot return now', (served) => (ofKeys(served) ? { status: 429 } : {}), 'not_checked', 0],
])('explains a run with %s', async (_, alter, verdict, code) => {
  const run_id = await run('hello');
  const answer = await svc(`explain ${run_id} --json`, 'ada', await altered(alter));
  expect([JSON.parse(answer.stdout).evidence.verdict, answer.code]).toEqual([verdict, code]);
});

it('explains a run whose content was erased: its record holds', async () => {
  const run_id = await run('hello');
  expect((await gateway.request('DELETE', `/v1/runs/${run_id}/content`, { principal: 'alice' })).status).toBe(200);
  const { code, stdout } = await svc(`explain ${run_id} --json`);
  const { run: shown, sent, evidence } = JSON.parse(stdout);
  expect([code, evidence.verdict, sent]).toEqual([0, 'self_attested', null]);
  expect(shown.events.at(-1)).toMatchObject({ event_type: 'erased', data: { principal_id: 'alice' } });
});

it('lists and explains the runs of a session, oldest first', async () => {
  const run_ids = [await run('hello', 's-1'), await run('forbidden', 's-1')];
  await run('hello', 's-2');
  const { runs } = JSON.parse((await svc('runs list --session s-1 --json')).stdout);
  expect(runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual(run_ids.toReversed());
  const { code, stdout } = await svc('explain --session s-1 --json');
  const explained = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(explained.map(({ run: { run_id }, evidence: { verdict } }) => [run_id, verdict])).toEqual(
    run_ids.map((run_id) => [run_id, 'self_attested']),
  );
  expect(code).toBe(0);
  expect((await svc('explain --session s-1')).stdout).toContain('session s-1');
  expect(await svc('explain --session none')).toMatchObject({ code: 1, stdout: '' });
});

it('reports a period as text, JSON, CSV and a page', async () => {
  await run('hello');
  const { period, reviews } = JSON.parse((await svc('report --from 2026-01-01 --route default --json')).stdout);
  const [route] = period.routes;
  expect(route).toMatchObject({ route: 'default', runs: expect.any(Number) });
  expect(reviews).toMatchObject([{ route: 'default', overdue: false }]);
  expect((await svc('report --from 2026-01-01')).stdout).toContain(`- default: ${route.runs} runs`);
  expect(JSON.parse((await svc('report --from 2100-01-01 --json')).stdout).period.routes).toEqual([]);
  const rows = (await svc('report --format csv')).stdout.trim().split('\r\n');
  expect(rows[0]).toBe('kind,route,name,stage,measure,value');
  expect(rows).toContain(`runs,default,,,completed,${route.by_status.completed}`);
  const page = (await svc('report --format html')).stdout;
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).not.toMatch(/<script|src=|href=/);
  expect(await svc('report --format xml')).toMatchObject({ code: 2, stdout: '' });
  expect(await svc('report --format csv --json')).toMatchObject({ code: 2, stdout: '' });
  expect((await svc('report --from yesterday')).code).toBe(1);
});

it('reports and exports', async () => {
  expect((await svc('report')).stdout).toContain('- default: model echo-1');
  const lines = (await svc('audit export')).stdout.trim().split('\n');
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.parse(lines[0] ?? '')).toHaveProperty('run_id');
  const csv = (await svc('audit export --format csv')).stdout;
  expect(csv.split('\r\n')).toHaveLength(lines.length + 2);
  const all = lines.map((line) => JSON.parse(line).created_at).toSorted();
  const middle = all[Math.floor(all.length / 2)];
  const since = (await svc(`audit export --from ${middle}`)).stdout.trim().split('\n');
  const until = (await svc(`audit export --to ${middle}`)).stdout.trim().split('\n').filter(Boolean);
  expect(since.map((line) => JSON.parse(line).created_at).every((at) => at >= middle)).toBe(true);
  expect(until.map((line) => JSON.parse(line).created_at).every((at) => at < middle)).toBe(true);
  expect(since.length + until.length).toBe(lines.length);
});

it('watches until SIGINT', async () => {
  const run_id = await run('wire transfer, watched');
  const child = start('runs watch --json', 'ada');
  for await (const chunk of child.stdout) if (String(chunk).includes(run_id)) break;
  child.kill('SIGINT');
  if (child.exitCode === null) await once(child, 'close');
  expect(child.exitCode).toBe(0);
});

it.each([
  ['explain', 2],
  ['explain --last --session s-1', 2],
  ['runs watch --status unknown', 2],
  ['audit export --format xml', 2],
  ['runs list --limit 0', 2],
  ['runs show 00000000-0000-4000-8000-000000000000', 1],
])('svc %s ends with %i', async (words, code) => {
  expect(await svc(words)).toMatchObject({ code, stdout: '' });
});

/** Each prints the words that the shell offers for `line`, whose last word may be empty. */
const SHELLS: Readonly<Record<string, (script: string, line: readonly string[]) => string>> = {
  bash: (script, line) => {
    const words = line.map((word) => `'${word}'`).join(' ');
    return `${script}\nCOMP_WORDS=(svc ${words}); COMP_CWORD=${line.length}; _svc; echo "\${COMPREPLY[@]}"`;
  },
  // Zsh completes only at a terminal. All that the script uses of it are these two functions; it filters the words itself.
  zsh: (script, line) => {
    const words = line.map((word) => `'${word}'`).join(' ');
    const offered = '${(M)@:#$' + '{words[CURRENT]}*}';
    const parts = `compdef() { : }; compadd() { shift; print -r -- ${offered} }; _files() { print files }`;
    return `${parts}\n${script}\nwords=(svc ${words}); CURRENT=$((1 + ${line.length})); _svc`;
  },
  fish: (script, line) => `${script}\ncomplete -C 'svc ${line.join(' ')}'`,
};

describe.each(Object.entries(SHELLS))('completion in %s', (shell, bodyOf) => {
  it.skipIf(spawnSync(shell, ['-c', '']).error !== undefined && process.env.CI !== 'true').each([
    [['comp'], ['completion']],
    [['runs', 'ap'], ['approve']],
    [['runs', 'erase', '--al'], ['--all']],
    [
      ['audit', 'export', '--format', ''],
      ['csv', 'jsonl'],
    ],
  ])('%j is completed to %j', (line, expected) => {
    const { stdout: script } = spawnSync(process.execPath, [MAIN, 'completion', shell], { encoding: 'utf8' });
    const { stdout } = spawnSync(shell, ['-c', bodyOf(script, line)], { encoding: 'utf8' });
    expect(stdout.trim().split(/\s+/).sort()).toEqual(expected);
  });
});
