import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { echoConfig, MAIN } from '../harness/gateway.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-policy-'));
  const packs = {
    pii: { entities: ['EMAIL_ADDRESS'] },
    judge: { type: 'judge', base_url: 'http://127.0.0.1:1/', model: 'm' },
    budget: { type: 'budget', limits: [{ scope: 'global', unit: 'requests', amount: 1, period: 'day' }] },
    watch: { type: 'rules', mode: 'observe', rules: [{ name: 'seen', words: ['hello'], verdict: 'block' }] },
  };
  const provider = { type: 'openai', base_url: 'https://api.example.org', api_key: 'secret://env/SVC_TEST_UNSET#value' };
  const pipeline = { ingress: ['watch', 'judge', 'budget', 'mask', 'pii', 'policy'], egress: ['pii', 'budget'] };
  const config = echoConfig({
    packs,
    providers: { model: provider },
    routes: { default: { provider: 'model', model: 'm', pipeline } },
  });
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(config));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function test(cases: unknown, ...args: string[]): SpawnSyncReturns<string> {
  writeFileSync(join(folder, 'cases.yaml'), typeof cases === 'string' ? cases : stringify({ cases }));
  return spawnSync(process.execPath, [MAIN, 'policy', 'test', 'cases.yaml', ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
  });
}

const MAIL = 'write to alice@example.org';
const the = (fields: JsonObject, expect: JsonObject): JsonObject => ({ name: 'the case', route: 'default', ...fields, expect });

/** In a configuration whose secret nobody has, without a server. */
describe('a case passes', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['that is allowed', { text: 'hello' }, { verdict: 'allow', findings: [], text: 'hello' }],
    ['with a masked text', { text: 'ACC-1' }, { verdict: 'sanitize', guard: 'mask', code: 'account', text: '<ACCOUNT>' }],
    ['with findings', { text: MAIL }, { verdict: 'sanitize', guard: 'pii', findings: ['EMAIL_ADDRESS'] }],
    ['that is blocked', { text: 'forbidden' }, { verdict: 'block', guard: 'policy', code: 'forbidden' }],
    ['that waits', { text: 'wire transfer' }, { verdict: 'require_approval', code: 'wire' }],
    ['in egress', { text: MAIL, stage: 'egress' }, { verdict: 'sanitize', text: 'write to <EMAIL_ADDRESS_1>' }],
    ['in egress without its ingress guards', { text: 'forbidden', stage: 'egress' }, { verdict: 'allow' }],
    ['with several texts', { texts: ['x', 'ACC-2'] }, { verdict: 'sanitize', texts: ['x', '<ACCOUNT>'] }],
    ['with a body', { body: { messages: [{ role: 'user', content: 'forbidden' }] } }, { verdict: 'block' }],
    [
      'with a body of another protocol',
      { protocol: 'anthropic.messages', body: { max_tokens: 1, messages: [{ role: 'user', content: 'forbidden' }] } },
      { verdict: 'block', guard: 'policy' },
    ],
  ])('%s', (_, fields, expected) => {
    const result = test([the(fields, expected)]);
    expect([result.stderr, result.status]).toEqual(['', 0]);
    expect(result.stdout).toContain('ok    the case');
  });
});

describe('a case fails, and its text is not shown', () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['because of its verdict', { text: `${MAIL} x` }, { verdict: 'block' }, ['verdict']],
    ['because of its guard', { text: MAIL }, { verdict: 'sanitize', guard: 'mask' }, ['guard']],
    ['because of its code', { text: MAIL }, { verdict: 'sanitize', code: 'x' }, ['code']],
    ['because of a missing finding', { text: MAIL }, { verdict: 'sanitize', findings: ['EMAIL_ADDRESS', 'URL'] }, ['findings']],
    ['because of one too many', { text: MAIL }, { verdict: 'sanitize', findings: [] }, ['findings']],
    ['because of its text', { text: MAIL }, { verdict: 'sanitize', text: MAIL }, ['text']],
    ['because of a text that is not there', { text: 'forbidden' }, { verdict: 'block', text: 'forbidden' }, ['text']],
  ])('%s', (_, fields, expected, differs) => {
    const args = [the(fields, expected), { ...the({ text: 'hello' }, { verdict: 'allow' }), name: 'another' }];
    const result = test(args, '--json');
    expect([result.stderr, result.status]).toEqual(['', 1]);
    expect(JSON.parse(result.stdout)).toMatchObject({
      passed: 1,
      failed: 1,
      cases: [{ passed: false, differs }, { passed: true }],
    });
    const shown = test(args);
    expect(shown.status).toBe(1);
    expect(shown.stdout).toContain('FAIL  the case');
    expect(shown.stdout).not.toContain('alice');
  });

  it('because its route is missing, or its body is none of its protocol', () => {
    const result = test(
      [
        { ...the({ text: 'x' }, { verdict: 'allow' }), route: 'none' },
        { ...the({ body: { messages: MAIL } }, { verdict: 'allow' }), name: 'a body' },
        { ...the({ text: 'x', texts: ['x'] }, { verdict: 'allow' }), name: 'two texts' },
      ],
      '--json',
    );
    expect(result.status).toBe(1);
    const { cases } = JSON.parse(result.stdout);
    expect(cases.map(({ problem }: JsonObject) => typeof problem)).toEqual(['string', 'string', 'string']);
    expect(result.stdout).not.toContain('alice');
  });
});

it('names the guards that are not asked', () => {
  const result = test([the({ text: 'hello' }, { verdict: 'allow' })]);
  expect(result.stdout).toMatch(/not asked: judge/);
  expect(result.stdout).toMatch(/not asked: budget/);
  expect(result.stdout).not.toMatch(/not asked: (watch|mask)/);
});

it.each<[string, unknown]>([
  ['that is not there', null],
  ['that is no YAML', 'cases: ['],
  ['without cases', []],
  ['with an unknown key', [{ ...the({ text: 'x' }, { verdict: 'allow' }), wants: 1 }]],
  ['with an unknown verdict', [the({ text: 'x' }, { verdict: 'deny' })]],
  ['without an expectation', [{ name: 'a', route: 'default', text: 'x' }]],
  ['with a name twice', [the({ text: 'x' }, { verdict: 'allow' }), the({ text: 'y' }, { verdict: 'allow' })]],
])('refuses a file %s with 2', (_, cases) => {
  const result =
    cases === null
      ? spawnSync(process.execPath, [MAIN, 'policy', 'test', 'none.yaml'], { cwd: folder, encoding: 'utf8' })
      : test(cases);
  expect(result.status).toBe(2);
  expect(result.stdout).toBe('');
});

it.each([[['policy']], [['policy', 'none']], [['policy', 'test']]])('%j is a misuse', (args) => {
  expect(spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' }).status).toBe(2);
});
