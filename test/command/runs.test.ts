import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'bob', roles: ['approve'] },
      { principal_id: 'ada', roles: ['audit', 'call'] },
    ],
  });
});
afterAll(() => gateway.dispose());

function start(words: string, principal: string) {
  const args = [MAIN, ...words.split(' '), '--server', gateway.url];
  return spawn(process.execPath, args, { env: { ...process.env, SVC_KEY: gateway.key(principal) } });
}

async function svc(words: string, principal = 'ada') {
  const child = start(words, principal);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

async function run(content: string): Promise<string> {
  const { body } = await gateway.post('/v1/runs', { messages: [{ role: 'user', content }] }, 'alice');
  return body.run_id;
}

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

it('reports and exports', async () => {
  expect((await svc('report')).stdout).toContain('- default: model echo-1');
  const lines = (await svc('audit export')).stdout.trim().split('\n');
  expect(lines.length).toBeGreaterThan(0);
  expect(JSON.parse(lines[0] ?? '')).toHaveProperty('run_id');
  const csv = (await svc('audit export --format csv')).stdout;
  expect(csv.split('\r\n')).toHaveLength(lines.length + 2);
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
  ['audit export --format xml', 2],
  ['runs list --limit 0', 2],
  ['runs show 00000000-0000-4000-8000-000000000000', 1],
])('svc %s ends with %i', async (words, code) => {
  expect(await svc(words)).toMatchObject({ code, stdout: '' });
});

it('completes in bash', () => {
  const { stdout: script } = spawnSync(process.execPath, [MAIN, 'completion', 'bash'], { encoding: 'utf8' });
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const body = `${script}\nCOMP_WORDS=(svc ${quoted}); COMP_CWORD=${words.length}; _svc; echo "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', body], { encoding: 'utf8' }).stdout.trim();
  };
  expect(spawnSync('bash', ['-n'], { input: script }).status).toBe(0);
  expect(complete('comp')).toBe('completion');
  expect(complete('runs', 'ap')).toBe('approve');
  expect(complete('runs', 'erase', '--al')).toBe('--all');
  expect(complete('audit', 'export', '--format', '')).toBe('jsonl csv');
});
