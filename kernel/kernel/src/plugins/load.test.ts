import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { discoverPlugins, findPlugin } from './discover.ts';
import { loadPlugin } from './load.ts';
import { PluginLoadError } from './plugin-load-error.ts';
import { makeProject, removeProjects, type TestProject } from './test-project.ts';

afterEach(removeProjects);

function load(project: TestProject, type: string, timeout_ms?: number) {
  const entry = findPlugin(discoverPlugins({ roots: [{ file: project.packageJson, builtIn: false }] }), 'guard', type);
  if (entry === null) throw new Error(`no fixture offers ${type}`);
  return loadPlugin(entry, timeout_ms);
}

describe('loadPlugin', () => {
  it.each(['flat', 'pnpm'] as const)('gives the definition of a good plugin (%s layout)', async (layout) => {
    const plugin = await load(makeProject({ dependencies: ['banned-words'], layout }), 'banned-words');
    expect(plugin).toMatchObject({ apiVersion: 1, kind: 'guard', type: 'banned-words', options: { type: 'object' } });
  });

  it.each([
    ['throws-on-import', 'import_failed'],
    ['hangs-on-import', 'import_timeout'],
    ['common-js', 'not_es_module'],
    ['no-brand', 'not_a_plugin'],
    ['wrong-kind', 'manifest_mismatch'],
    ['wrong-type', 'manifest_mismatch'],
    ['bad-options-schema', 'bad_options_schema'],
    ['no-create', 'no_create'],
  ])('refuses %s: %s, in one line that names package, version, file and remedy', async (fixture, reason) => {
    const project = makeProject({ dependencies: [fixture] });
    const file = join(project.folderOf(fixture), fixture === 'common-js' ? 'index.cjs' : 'index.js');
    const error = await load(project, fixture, reason === 'import_timeout' ? 200 : undefined).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PluginLoadError);
    if (!(error instanceof PluginLoadError)) return;
    expect(error).toMatchObject({ reason, package: `@fixture/${fixture}`, version: '1.0.0', file });
    expect(error.message).not.toContain('\n');
    for (const part of [error.package, error.version, error.file, error.remedy]) expect(error.message).toContain(part);
  });

  it('reports the error of an import, and keeps it as cause', async () => {
    const error = await load(makeProject({ dependencies: ['throws-on-import'] }), 'throws-on-import').catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      message: expect.stringContaining('no native binding for this platform'),
      cause: expect.any(Error),
    });
  });

  it('keeps a module without a plugin as cause', async () => {
    const error = await load(makeProject({ dependencies: ['no-brand'] }), 'no-brand').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ cause: { default: expect.anything() } });
  });

  it('refuses a package that was upgraded in place: the process still has the earlier code', async () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const before = await load(project, 'banned-words');
    const file = join(project.folderOf('banned-words'), 'package.json');
    const manifest = readFileSync(file, 'utf8');
    writeFileSync(file, manifest.replace('"1.0.0"', '"1.1.0"'));
    await expect(load(project, 'banned-words')).rejects.toMatchObject({ reason: 'loaded_before', version: '1.1.0' });
    writeFileSync(file, manifest);
    expect(await load(project, 'banned-words')).toBe(before);
  });

  it('refuses a .js entry that its package.json does not declare as a module, whatever its content', async () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'banned-words', entry: './index.js' }] };
    writeFileSync(join(project.folderOf('banned-words'), 'package.json'), JSON.stringify({ version: '1.0.0', svc }));
    await expect(load(project, 'banned-words')).rejects.toMatchObject({ reason: 'not_es_module' });
  });
});
