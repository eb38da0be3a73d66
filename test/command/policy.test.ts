import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { echoConfig, MAIN } from '../harness/gateway.ts';
import { type SvcEnded, svcHere } from '../harness/svc-here.ts';

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

function test(cases: unknown, ...args: string[]): Promise<SvcEnded> {
  writeFileSync(join(folder, 'cases.yaml'), typeof cases === 'string' ? cases : stringify({ cases }));
  return svcHere(['policy', 'test', 'cases.yaml', ...args], { cwd: folder });
}

const MAIL = 'write to alice@example.org';
const the = (fields: JsonObject, expect: JsonObject): JsonObject => ({ name: 'the case', route: 'default', ...fields, expect });

interface Passing {
  readonly fields: JsonObject;
  readonly expected: JsonObject;
}

const PASSING: Readonly<Record<string, Passing>> = {
  'that is allowed': { fields: { text: 'hello' }, expected: { verdict: 'allow', findings: [], text: 'hello' } },
  'with a masked text': {
    fields: { text: 'ACC-1' },
    expected: { verdict: 'sanitize', guard: 'mask', code: 'account', text: '<ACCOUNT>' },
  },
  'with findings': { fields: { text: MAIL }, expected: { verdict: 'sanitize', guard: 'pii', findings: ['EMAIL_ADDRESS'] } },
  'that is blocked': { fields: { text: 'forbidden' }, expected: { verdict: 'block', guard: 'policy', code: 'forbidden' } },
  'that waits': { fields: { text: 'wire transfer' }, expected: { verdict: 'require_approval', code: 'wire' } },
  'in egress': {
    fields: { text: MAIL, stage: 'egress' },
    expected: { verdict: 'sanitize', text: 'write to <EMAIL_ADDRESS_1>' },
  },
  'in egress without the guards of ingress': { fields: { text: 'forbidden', stage: 'egress' }, expected: { verdict: 'allow' } },
  'with several texts': { fields: { texts: ['x', 'ACC-2'] }, expected: { verdict: 'sanitize', texts: ['x', '<ACCOUNT>'] } },
  'with a body': {
    fields: { body: { messages: [{ role: 'user', content: 'forbidden' }] } },
    expected: { verdict: 'block' },
  },
  'with a body of another protocol': {
    fields: { protocol: 'anthropic.messages', body: { max_tokens: 1, messages: [{ role: 'user', content: 'forbidden' }] } },
    expected: { verdict: 'block', guard: 'policy' },
  },
};

it('cases pass without a server, and without the secrets of the configuration', async () => {
  const cases = Object.entries(PASSING).map(([name, { fields, expected }]) => ({ ...the(fields, expected), name }));
  const result = await test(cases);
  expect([result.stderr, result.status]).toEqual(['', 0]);
  for (const name of Object.keys(PASSING)) expect(result.stdout).toContain(`ok    ${name}\n`);
});

/** The fields that differ, by case. */
const FAILING: readonly (readonly [fields: JsonObject, expected: JsonObject, differs: readonly string[]])[] = [
  [{ text: `${MAIL} x` }, { verdict: 'block' }, ['verdict']],
  [{ text: MAIL }, { verdict: 'sanitize', guard: 'mask' }, ['guard']],
  [{ text: MAIL }, { verdict: 'sanitize', code: 'x' }, ['code']],
  [{ text: MAIL }, { verdict: 'sanitize', findings: ['EMAIL_ADDRESS', 'URL'] }, ['findings']],
  [{ text: MAIL }, { verdict: 'sanitize', findings: [] }, ['findings']],
  [{ text: MAIL }, { verdict: 'sanitize', text: MAIL }, ['text']],
  [{ text: 'forbidden' }, { verdict: 'block', text: 'forbidden' }, ['text']],
  [{ text: MAIL }, { verdict: 'allow', guard: 'mask', code: 'pii' }, ['verdict', 'guard']],
  [{ text: 'hello' }, { verdict: 'allow' }, []],
];

it('cases fail with the fields that differ, and their texts are not shown', async () => {
  const cases = FAILING.map(([fields, expected], n) => ({ ...the(fields, expected), name: `case ${n}` }));
  const result = await test(cases, '--json');
  expect([result.stderr, result.status]).toEqual(['', 1]);
  const { cases: found, ...sums } = JSON.parse(result.stdout);
  expect(sums).toEqual({ passed: 1, failed: FAILING.length - 1 });
  expect(result.stdout).not.toContain('alice');
  expect(found.map(({ differs }: JsonObject) => differs)).toEqual(FAILING.map(([, , differs]) => differs));
  const shown = await test(cases);
  expect(shown.status).toBe(1);
  expect(shown.stdout.match(/^FAIL {2}case/gm)).toHaveLength(FAILING.length - 1);
  expect(shown.stdout).not.toContain('alice');
});

it('cases fail because their route is missing, or their body does not fit its protocol', async () => {
  const result = await test(
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

it('names the guards that are not asked', async () => {
  const result = await test([the({ text: 'hello' }, { verdict: 'allow' })]);
  expect(result.stdout).toMatch(/not run: judge/);
  expect(result.stdout).toMatch(/not run: budget/);
  expect(result.stdout).not.toMatch(/not run: (watch|mask)/);
});

it.each(['{ fetch }', '_deps'])('no guard reaches a service, and one that tries has failed: %s', async (deps) => {
  let calls = 0;
  const server = createServer((_, response) => {
    calls += 1;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const home = join(folder, 'node_modules', '@fixture', 'asks');
  mkdirSync(home, { recursive: true });
  const plugin = { kind: 'guard', type: 'asks', entry: './index.js' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { '@fixture/asks': '1.0.0' } }));
  writeFileSync(
    join(home, 'package.json'),
    JSON.stringify({ name: '@fixture/asks', version: '1.0.0', type: 'module', svc: { apiVersion: 1, plugins: [plugin] } }),
  );
  writeFileSync(
    join(home, 'index.js'),
    `const create = (_, ${deps}) => ({ stages: ['ingress'], verdicts: ['block'], check: async () => {
      await fetch(${JSON.stringify(url)});
      return { verdict: 'allow', code: 'asked', edits: [], findings: [] };
    } });
    const options = { type: 'object', additionalProperties: false, properties: {} };
    export default { [Symbol.for('svc.plugin')]: true, apiVersion: 1, kind: 'guard', type: 'asks', options, create };`,
  );
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['asks'], egress: [] } };
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(echoConfig({ packs: { asks: {} }, routes: { default: route } })));
  const cases = [the({ text: 'hello' }, { verdict: 'block', guard: 'asks', code: 'SVC-NODE-001' })];
  writeFileSync(join(folder, 'cases.yaml'), stringify({ cases }));
  // Not in this turn, so that the server could answer.
  const child = spawn(process.execPath, [MAIN, 'policy', 'test', 'cases.yaml'], { cwd: folder });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  server.close();
  expect(stdout).toContain('1 case passed');
  expect(calls).toBe(0);
});

it.each<[string, unknown]>([
  ['that is not there', null],
  ['that is no YAML', 'cases: ['],
  ['without cases', []],
  ['with an unknown key', [{ ...the({ text: 'x' }, { verdict: 'allow' }), wants: 1 }]],
  ['with an unknown verdict', [the({ text: 'x' }, { verdict: 'deny' })]],
  ['without an expectation', [{ name: 'a', route: 'default', text: 'x' }]],
  ['with a name twice', [the({ text: 'x' }, { verdict: 'allow' }), the({ text: 'y' }, { verdict: 'allow' })]],
])('refuses a file %s with 2', async (_, cases) => {
  const result = await (cases === null ? svcHere(['policy', 'test', 'none.yaml'], { cwd: folder }) : test(cases));
  expect(result.status).toBe(2);
  expect(result.stdout).toBe('');
});

it.each([[['policy']], [['policy', 'none']], [['policy', 'test']]])('%j is a misuse', async (args) => {
  expect((await svcHere(args)).status).toBe(2);
});
