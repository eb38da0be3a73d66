import { appendFileSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { installPackages } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

const CONFIG = `# Ours.
providers:
  local: { type: echo } # no model behind it
packs:
  words: { type: banned-words, words: [secret] }
routes:
  default: { provider: local, model: echo-1, pipeline: { ingress: [words], egress: [] } }
`;

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pin-'));
  await installPackages(folder, ['banned-words']);
  writeFileSync(join(folder, 'svc.yaml'), CONFIG);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (...args: string[]) => svcHere(args, { cwd: folder });
const pin = async () => JSON.parse((await svc('plugins', 'pin', '--format', 'json')).stdout).pins;
const states = async () => {
  const { plugins } = JSON.parse((await svc('plugins', 'list', '--format', 'json')).stdout);
  return plugins.filter(({ builtIn }: { builtIn: boolean }) => !builtIn).map(({ state }: { state: string }) => state);
};

it.each([
  [[], 'lmdb'],
  [['--runs-db', 'elsewhere'], 'lmdb'],
  [['--runs-db', 'postgres://db.invalid/runs'], 'postgres'],
])('lists with %j the store of that runs-db as used, and no other', async (args, type) => {
  const { plugins } = JSON.parse((await svc('plugins', 'list', '--json', ...args)).stdout);
  const stores = plugins.filter(({ kind }: { kind: string }) => kind === 'store');
  expect(stores.length).toBeGreaterThan(1);
  expect(stores.filter(({ state }: { state: string }) => state === 'used')).toMatchObject([{ type }]);
});

it('pins installed packages, and leaves the rest of the file unchanged', async () => {
  expect(await pin()).toEqual([{ package: '@fixture/banned-words', state: 'added' }]);
  const text = readFileSync(join(folder, 'svc.yaml'), 'utf8');
  expect(text.startsWith(CONFIG)).toBe(true);
  expect(parse(text).plugins).toEqual({ '@fixture/banned-words': expect.stringMatching(/^sha512-/) });
  expect(await states()).toEqual(['used']);
  expect(await pin()).toEqual([{ package: '@fixture/banned-words', state: 'unchanged' }]);
  expect(readFileSync(join(folder, 'svc.yaml'), 'utf8')).toBe(text);
});

it("keeps a symbolic link and the file's permissions", async () => {
  rmSync(join(folder, 'svc.yaml'));
  writeFileSync(join(folder, 'private.yaml'), CONFIG, { mode: 0o600 });
  symlinkSync('private.yaml', join(folder, 'svc.yaml'));
  expect(await pin()).toEqual([{ package: '@fixture/banned-words', state: 'added' }]);
  expect(lstatSync(join(folder, 'svc.yaml')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'private.yaml'), 'utf8')).toContain('@fixture/banned-words');
  expect(statSync(join(folder, 'private.yaml')).mode & 0o777).toBe(0o600);
});

it('a package that changed is refused until it is pinned anew', async () => {
  await pin();
  appendFileSync(join(folder, 'node_modules', '@fixture', 'banned-words', 'index.js'), '// changed\n');
  expect(await states()).toEqual(['refused']);
  expect((await svc('lint')).status).toBe(1);
  expect(await pin()).toEqual([{ package: '@fixture/banned-words', state: 'changed' }]);
  expect(await states()).toEqual(['used']);
});

it('changes nothing after its own lines, nor in a JSON file', async () => {
  const behind = '# The end.\nserver: { port: 8001 }\n';
  writeFileSync(join(folder, 'svc.yaml'), `${CONFIG}plugins:\n  "@fixture/gone": sha512-x\n${behind}`);
  await pin();
  const text = readFileSync(join(folder, 'svc.yaml'), 'utf8');
  expect(text.startsWith(CONFIG)).toBe(true);
  expect(text.endsWith(behind)).toBe(true);
  expect(Object.keys(parse(text).plugins)).toEqual(['@fixture/banned-words']);

  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify(parse(CONFIG)));
  await pin();
  const { plugins, ...rest } = JSON.parse(readFileSync(join(folder, 'svc.yaml'), 'utf8'));
  expect(rest).toEqual(parse(CONFIG));
  expect(Object.keys(plugins)).toEqual(['@fixture/banned-words']);
});

it('a package that was removed loses its pin', async () => {
  await pin();
  await installPackages(folder, ['masker']);
  expect(await pin()).toEqual([
    { package: '@fixture/masker', state: 'added' },
    { package: '@fixture/banned-words', state: 'removed' },
  ]);
});

it.each([
  ['no configuration', () => rmSync(join(folder, 'svc.yaml'))],
  ['a file that is no YAML', () => writeFileSync(join(folder, 'svc.yaml'), '{')],
  ['a list where a map belongs', () => writeFileSync(join(folder, 'svc.yaml'), '- a')],
])('%s is refused in one line', async (_, spoil) => {
  spoil();
  const { status, stderr } = await svc('plugins', 'pin');
  expect(status).toBe(1);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
