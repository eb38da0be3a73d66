import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../docs/fences.ts';
import { MAIN, TestGateway } from '../harness/gateway.ts';
import { Person } from '../harness/person.ts';
import { asGroup, killGroup } from '../harness/process-group.ts';

const FOLDER = join(ROOT, 'examples', 'oidc');
const ISSUER = 'http://127.0.0.1:3000';
const env = { CLIENT_SECRET: 'a secret that both know' };

it('examples/oidc lints clean', () => {
  const lint = [MAIN, 'lint', '--config', join(FOLDER, 'svc.yaml')];
  expect(execFileSync(process.execPath, lint, { encoding: 'utf8' })).toBe('0 errors, 0 warnings\n');
});

it('examples/oidc works as described: ben sends, ada approves, and the record names her', async () => {
  const child = spawn(process.execPath, [join(FOLDER, 'issuer.js')], {
    detached: true,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const provider = asGroup(child);
  onTestFinished(() => killGroup(provider));
  const said = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const issuer = said.replace('issuer: ', '');
  const text = readFileSync(join(FOLDER, 'svc.yaml'), 'utf8');
  expect(text).toContain(ISSUER);
  const gateway = await TestGateway.startFile(text.replace(ISSUER, issuer), new Map(), { env });
  onTestFinished(() => gateway.dispose());

  const [ben, ada] = [new Person(gateway, 'ben'), new Person(gateway, 'ada')];
  for (const person of [ben, ada]) expect((await person.signIn(issuer)).status).toBe(303);
  const messages = [{ role: 'user', content: 'A wire transfer, please.' }];
  const asked = await ben.act('/v1/chat/completions', { method: 'POST', body: { model: 'default', messages } });
  const resume = `/v1/runs/${asked.body.svc_run_id}/resume`;
  const decision = { method: 'POST', body: { decision: 'approved' } };
  expect((await ben.act(resume, decision)).status).toBe(403);
  expect((await ada.act(resume, decision)).body.status).toBe('completed');
  const { records } = (await ada.ask('/v1/audit/ledger')).body;
  expect(records.at(-1).approver).toMatchObject({ principal_id: 'ada', issuer, subject: 'ada', decision: 'approved' });
});
