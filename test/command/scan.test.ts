import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagnose } from '../../host/src/commands/lint.ts';
import { MAIN } from '../harness/gateway.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-scan-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function svc(args: readonly string[], input = ''): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', timeout: 120_000, input });
}

const lines = (...texts: string[]): string => texts.map((text) => `${JSON.stringify({ text })}\n`).join('');
const read = ({ stdout }: SpawnSyncReturns<string>): JsonObject[] =>
  stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

/** A configuration without a key, whose provider's secret nobody has. */
function configure(packs: JsonObject): void {
  const provider = { type: 'openai', base_url: 'https://api.example.org', api_key: 'secret://env/SVC_TEST_UNSET#value' };
  const pipeline = { ingress: Object.keys(packs), egress: [] };
  const config = { providers: { model: provider }, packs, routes: { default: { provider: 'model', model: 'm', pipeline } } };
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(config));
}

const RULES = {
  type: 'rules',
  rules: [
    { name: 'stop', words: ['forbidden'], verdict: 'block' },
    { name: 'account', match: 'ACC-\\d+', verdict: 'sanitize' },
  ],
};
const BUDGET = { type: 'budget', limits: [{ scope: 'global', unit: 'requests', amount: 1, period: 'day' }] };

describe('svc scan', () => {
  it('uses the defaults of pii without a configuration, for each text separately', () => {
    const result = svc(['scan'], lines('😀 a@example.org', '', 'b@example.org, on 12 March 2024'));
    expect(result).toMatchObject({ status: 0, stderr: '' });
    expect(read(result)).toEqual([
      { findings: [{ entity_type: 'EMAIL_ADDRESS', start: 3, end: 16, score: 1 }], sanitized: '😀 <EMAIL_ADDRESS_1>' },
      { findings: [], sanitized: '' },
      {
        findings: [{ entity_type: 'EMAIL_ADDRESS', start: 0, end: 13, score: 1 }],
        sanitized: '<EMAIL_ADDRESS_1>, on 12 March 2024',
      },
    ]);
  });

  it('uses the pack of the configuration, without keys and secrets', () => {
    configure({ masking: { type: 'pii', entities: ['URL'] }, words: RULES });
    expect(read(svc(['scan'], lines('a@example.org at https://example.org/')))).toMatchObject([
      { sanitized: 'a@example.org at <URL_1>' },
    ]);
  });

  it('uses the named pack, and requires a name if there are several', () => {
    configure({ links: { type: 'pii', entities: ['URL'] }, mails: { type: 'pii', entities: ['EMAIL_ADDRESS'] } });
    const text = lines('a@example.org at https://example.org/');
    expect(read(svc(['scan', '--pack', 'mails'], text))).toMatchObject([
      { sanitized: '<EMAIL_ADDRESS_1> at https://example.org/' },
    ]);
    expect(svc(['scan'], text)).toMatchObject({ status: 2, stdout: '' });
  });

  it('uses any pack that can scan, including secrets and rules', () => {
    configure({ keys: { type: 'secrets' }, words: RULES });
    expect(read(svc(['scan', '--pack', 'keys'], lines('password: Kp4-Regenwurm')))).toEqual([
      { findings: [{ entity_type: 'SECRET', start: 10, end: 23, score: 0.5 }], sanitized: 'password: <SECRET>' },
    ]);
    expect(read(svc(['scan', '--pack', 'words'], lines('forbidden for ACC-17')))).toEqual([
      {
        findings: [
          { entity_type: 'stop', start: 0, end: 9, score: 1 },
          { entity_type: 'account', start: 14, end: 20, score: 1 },
        ],
        sanitized: 'forbidden for <ACCOUNT>',
      },
    ]);
    expect(svc(['scan'], lines('x'))).toMatchObject({ status: 2, stdout: '' });
  });

  it('reports invalid lines by number without their content, and continues', () => {
    const result = svc(['scan'], `a@example.org\n${lines('b@example.org')}\n{"txt":"c@example.org"}\n${lines('d@example.org')}`);
    expect(read(result).map(({ sanitized }) => sanitized)).toEqual(['<EMAIL_ADDRESS_1>', '<EMAIL_ADDRESS_1>']);
    expect(
      result.stderr
        .trim()
        .split('\n')
        .map((line) => /^line (\d+) /.exec(line)?.[1]),
    ).toEqual(['1', '4']);
    expect(result).toMatchObject({ status: 1, stderr: expect.not.stringContaining('example.org') });
  });

  it('scans a large text in a thread', () => {
    const [{ findings = [] } = {}] = read(svc(['scan'], lines(`${'no number here. '.repeat(4000)}a@example.org`)));
    expect(findings).toEqual([{ entity_type: 'EMAIL_ADDRESS', start: 64_000, end: 64_013, score: 1 }]);
  });

  it.each([
    ['a pack that is not there', ['--pack', 'none'], lines('x')],
    ['a pack that finds nothing in texts', ['--pack', 'budget'], lines('x')],
    ['a file that is not there', ['--config', 'none.yaml'], lines('x')],
  ])('refuses %s in one line that reveals nothing of the input', (_, args, input) => {
    configure({ pii: {}, budget: BUDGET });
    const { status, stderr } = svc(['scan', ...args], input);
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('example.org');
  });
});

describe('svc lint of pii', () => {
  const lint = async () => (await diagnose(join(folder, 'svc.yaml'))).diagnostics;

  it.each([
    ['leaves out something of the default', { entities: ['EMAIL_ADDRESS', 'URL'] }, ['packs.pii.entities']],
    ['is the default', {}, []],
    ['takes something from it by name', { exclude: ['PERSON'] }, []],
  ])('decides whether to warn about a list that %s', async (_, pii, paths) => {
    configure({ pii });
    const diagnostics = await lint();
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const found = diagnostics.filter(({ path }) => path.startsWith('packs'));
    expect(found.map(({ severity, path }) => [severity, path])).toEqual(paths.map((path) => ['warning', path]));
  });

  it('warns about an incomplete list of secrets', async () => {
    configure({ secrets: { detectors: ['JWT'] }, all: { type: 'secrets', exclude: ['JWT'] } });
    const found = (await lint()).filter(({ path }) => path.startsWith('packs'));
    expect(found).toMatchObject([{ severity: 'warning', path: 'packs.secrets.detectors' }]);
  });

  it('refuses a pattern that RE2 does not accept, and names its key', () => {
    configure({ pii: { recognizers: [{ entity: 'X', pattern: 'a(?=b)' }] } });
    const { status, stdout } = svc(['lint']);
    expect(status).toBe(1);
    expect(stdout).toContain('recognizers[0].pattern (X): ');
  });
});
