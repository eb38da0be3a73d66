import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, installPackages, MAIN, TestGateway } from '../harness/gateway.ts';
import { GatewayHere } from '../harness/gateway-here.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-broken-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', timeout: 120_000 });

/** An operator's project that depends on fixture packages, and has a guard of this type in its only route. */
async function project(fixtures: readonly string[], type: string, options: object = {}): Promise<void> {
  await installPackages(folder, fixtures);
  const config = echoConfig({ packs: { guard: { type, ...options } } });
  const route = { provider: 'local', model: 'echo-1', pipeline: { ingress: ['guard'], egress: [] } };
  writeFileSync(join(folder, 'svc.yaml'), JSON.stringify({ ...config, routes: { default: route } }));
}

/** Lines about a package that the server says before it refuses to start; it has touched nothing then. */
async function refusal(about: string): Promise<string[]> {
  let said = '';
  const args = ['--config', join(folder, 'svc.yaml'), '--port', '0', '--no-auth', '--runs-db', join(folder, 'runs-db')];
  const starting = GatewayHere.start(args, {}, (text) => {
    said += text;
  });
  await expect(starting).rejects.toThrow('the gateway ended with 1:');
  expect(said).not.toContain('listening');
  expect(existsSync(join(folder, 'runs-db'))).toBe(false);
  return said.split('\n').filter((line) => line.includes(about));
}

/** The same of a process of its own, which ends by itself. */
function refusalOfProcess(about: string): string[] {
  const { status, stdout, stderr } = svc('serve', '--port', '0', '--no-auth', '--runs-db', 'runs-db');
  expect(status, stdout + stderr).toBe(1);
  expect(stdout).not.toContain('listening');
  expect(existsSync(join(folder, 'runs-db'))).toBe(false);
  return stderr.split('\n').filter((line) => line.includes(about));
}

describe('a broken package is named in one helpful line, and no server is half started', () => {
  it.each([
    // Package, the guard's type, what the line says of the fault and of the remedy.
    ['entry-missing', 'entry-missing', /entry file does not exist.*build the package/],
    ['entry-outside', 'entry-outside', /entry file is not inside the package.*remove/],
    ['garbage-manifest', 'garbage-manifest', /"svc" field.*not a plugin manifest.*install/],
    ['wrong-api-version', 'wrong-api-version', /another version of the plugin contracts.*install/],
    ['common-js', 'common-js', /not an ES module.*\.mjs/],
    ['throws-on-import', 'throws-on-import', /the import failed.*install it again/],
    ['hangs-on-import', 'hangs-on-import', /did not finish in time.*ask its author/],
    ['no-brand', 'no-brand', /default export is not a plugin.*defineGuard/],
    ['wrong-kind', 'wrong-kind', /default export does not match its manifest.*the same kind, type and apiVersion/],
    ['wrong-type', 'wrong-type', /default export does not match its manifest.*the same kind, type and apiVersion/],
    ['bad-options-schema', 'bad-options-schema', /its options schema.*is not an object schema.*additionalProperties/],
    ['no-create', 'no-create', /no create function.*ask its author/],
    ['no-guard', 'no-guard', /no-guard/],
  ])('%s', { timeout: 120_000 }, async (fixture, type, says) => {
    // One fixture's entry is in another package.
    await project([fixture, ...(fixture === 'entry-outside' ? ['entry-missing'] : [])], type);
    const lines = await refusal(`@fixture/${fixture}`);
    expect(lines).toEqual([expect.stringMatching(says)]);
    expect(lines[0]).toContain('1.0.0');
  });

  it("options that its own SDK refuses, with the gateway's message", async () => {
    await project(['open-options'], 'open-options');
    installSdk(join(folder, 'node_modules', '@fixture', 'open-options', 'node_modules'));
    // Here the tests' own resolution would look for the sources of that SDK.
    const lines = refusalOfProcess('@fixture/open-options');
    expect(lines).toEqual([
      expect.stringMatching(/1\.0\.0 \(.*index\.js\): its options schema.*is not an object schema.*additionalProperties/),
    ]);
  });

  it('two packages with one type: both are named', async () => {
    await project(['twin-a', 'twin-b'], 'twin');
    const [line = '', ...more] = await refusal('@fixture/twin');
    expect(more).toEqual([]);
    for (const name of ['@fixture/twin-a', '@fixture/twin-b', 'remove one']) expect(line).toContain(name);
  });

  it('a type that no package has', async () => {
    await project([], 'no-such');
    expect(await refusal('no-such')).toHaveLength(1);
    expect(refusalOfProcess('no-such')).toHaveLength(1);
  });

  it('an unused one has no effect, and the list says why it would be refused', async () => {
    await project(['throws-on-import', 'wrong-api-version'], 'residency', { allowed_regions: ['eu'] });
    const { plugins } = JSON.parse(svc('plugins', 'list', '--format', 'json').stdout);
    expect(plugins.filter(({ builtIn }: { builtIn: boolean }) => !builtIn)).toEqual([
      expect.objectContaining({ package: '@fixture/throws-on-import', state: 'unused' }),
      expect.objectContaining({
        package: '@fixture/wrong-api-version',
        state: 'refused',
        reason: expect.stringMatching(/another version of the plugin contracts/),
      }),
    ]);
    expect(svc('lint').status).toBe(0);
  });
});

it('a plugin with a second copy of the SDK works, and its errors are understood', async () => {
  const gateway = await TestGateway.start({ config: echoConfig() });
  try {
    await gateway.stop();
    await installPackages(gateway.folder, ['own-sdk']);
    installSdk(join(gateway.folder, 'node_modules', '@fixture', 'own-sdk', 'node_modules'));
    const route = { provider: 'slow', model: 'm', pipeline: { ingress: [], egress: [] } };
    await gateway.configure(echoConfig({ providers: { slow: { type: 'own-sdk' } }, routes: { slow: route } }));
    await gateway.launch(['--no-auth']);
    // Anything but the SDK's own error for it would be a 502.
    expect(await gateway.chat('hello', { model: 'slow' })).toMatchObject({ status: 504, body: { code: 'SVC-PROV-002' } });
  } finally {
    await gateway.dispose();
  }
});

/** As npm lays it out where versions do not agree: a copy below the package that wants it. */
function installSdk(modules: string): void {
  for (const [name, folder] of Object.entries({ sdk: 'sdk/plugin', toolkit: 'sdk/toolkit', contracts: 'kernel/contracts' })) {
    for (const part of ['package.json', 'dist'])
      cpSync(join(ROOT, folder, part), join(modules, '@svc', name, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules', 'typebox'), join(modules, 'typebox'));
}
