import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AllowList, discoverPlugins, findPlugin, type PluginCatalogue } from './discover.ts';
import { pinOf } from './pin.ts';
import { PluginLoadError } from './plugin-load-error.ts';
import { makeProject, removeProjects, type TestProject } from './test-project.ts';

afterEach(removeProjects);

function discover(project: TestProject, allowList?: AllowList, host?: TestProject): PluginCatalogue {
  const roots = [{ file: project.packageJson, builtIn: false }];
  return discoverPlugins({
    roots: host === undefined ? roots : [{ file: host.packageJson, builtIn: true }, ...roots],
    allowList,
  });
}

const refusals = ({ refused }: PluginCatalogue) => refused.map(({ error }) => [error.package, error.reason]);

describe('discoverPlugins', () => {
  it.each(['flat', 'pnpm'] as const)('finds direct dependencies that carry a manifest (%s layout)', (layout) => {
    const project = makeProject({ dependencies: ['banned-words', 'parrot'], layout });
    expect(discover(project)).toEqual({
      entries: ['banned-words', 'parrot'].map((fixture) => ({
        package: `@fixture/${fixture}`,
        version: '1.0.0',
        directory: project.folderOf(fixture),
        kind: fixture === 'parrot' ? 'provider' : 'guard',
        type: fixture,
        file: join(project.folderOf(fixture), 'index.js'),
        builtIn: false,
      })),
      refused: [],
    });
  });

  it('ignores dependencies without a manifest, without a folder, or with a path as their name', () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    project.write('node_modules/plain/package.json', '{"version":"1.0.0"}');
    project.write('node_modules/torn/package.json', '{');
    project.write('outside/package.json', JSON.stringify({ svc: 'a plugin' }));
    const dependencies = { plain: '1', torn: '1', absent: '1', '../outside': '1', '@fixture/banned-words': '1' };
    writeFileSync(project.packageJson, JSON.stringify({ dependencies }));
    const catalogue = discover(project);
    expect(catalogue.entries.map((entry) => entry.package)).toEqual(['@fixture/banned-words']);
    expect(catalogue.refused).toEqual([]);
  });

  it('finds a package with the name of a core module, and optional dependencies', () => {
    const project = makeProject();
    const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'event', entry: './e.js' }] };
    project.write('node_modules/events/package.json', JSON.stringify({ type: 'module', version: '3.0.0', svc }));
    project.write('node_modules/events/e.js', '');
    writeFileSync(project.packageJson, JSON.stringify({ optionalDependencies: { events: '3' } }));
    expect(discover(project).entries).toMatchObject([{ package: 'events', version: '3.0.0', type: 'event' }]);
  });

  it('counts a package as built in if both host and operator have it', () => {
    const host = makeProject({ dependencies: ['banned-words'] });
    const project = makeProject();
    symlinkSync(join(host.directory, 'node_modules'), join(project.directory, 'node_modules'), 'junction');
    writeFileSync(project.packageJson, JSON.stringify({ dependencies: { '@fixture/banned-words': '1' } }));
    expect(discover(project, undefined, host)).toMatchObject({ entries: [{ builtIn: true }], refused: [] });
  });

  it.each([
    ['entry-missing', 'entry_missing', 'lost.js'],
    ['entry-outside', 'entry_outside', '../entry-missing/package.json'],
    ['wrong-api-version', 'wrong_api_version', 'package.json'],
    ['garbage-manifest', 'bad_manifest', 'package.json'],
  ])('refuses %s: %s, in one line that names package, version, file and remedy', (fixture, reason, file) => {
    // Installs the package that entry-outside points into. Without it, the entry would merely be missing.
    const project = makeProject({ dependencies: [...new Set([fixture, 'entry-missing'])] });
    const { entries, refused } = discover(project);
    expect(entries).toEqual([]);
    const { error } = refused.find((plugin) => plugin.error.package === `@fixture/${fixture}`) ?? {};
    expect(error).toMatchObject({ reason, version: '1.0.0', file: join(project.folderOf(fixture), file) });
    expect(error?.message).not.toContain('\n');
    for (const part of [error?.package, error?.version, error?.file, error?.remedy]) expect(error?.message).toContain(part);
  });

  it.each([
    ['a link out of the package', '../elsewhere.js', './index.js'],
    ['the part of the package that a pin leaves out', './node_modules/inner/index.js', './node_modules/inner/index.js'],
  ])('refuses an entry in %s', (_what, target, entry) => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const folder = project.folderOf('banned-words');
    project.write('node_modules/@fixture/elsewhere.js', '');
    project.write('node_modules/@fixture/banned-words/node_modules/inner/index.js', '');
    if (entry === './index.js') {
      rmSync(join(folder, 'index.js'));
      symlinkSync(target, join(folder, 'index.js'));
    }
    const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'banned-words', entry }] };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', svc }));
    expect(refusals(discover(project))).toEqual([['@fixture/banned-words', 'entry_outside']]);
  });

  it('refuses a manifest that names a plugin twice', () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const plugin = { kind: 'guard', type: 'twice', entry: './index.js' };
    writeFileSync(
      join(project.folderOf('banned-words'), 'package.json'),
      JSON.stringify({ svc: { apiVersion: 1, plugins: [plugin, plugin] } }),
    );
    expect(refusals(discover(project))).toEqual([['@fixture/banned-words', 'bad_manifest']]);
  });

  it('refuses both of two packages with the same plugin, and each message names the other package', () => {
    const catalogue = discover(makeProject({ dependencies: ['twin-a', 'banned-words', 'twin-b'] }));
    expect(catalogue.entries.map((entry) => entry.type)).toEqual(['banned-words']);
    expect(refusals(catalogue)).toEqual([
      ['@fixture/twin-a', 'duplicate_type'],
      ['@fixture/twin-b', 'duplicate_type'],
    ]);
    expect(catalogue.refused[0]?.error.message).toContain('@fixture/twin-b');
    expect(catalogue.refused[1]?.error.message).toContain('@fixture/twin-a');
    expect(findPlugin(catalogue, 'guard', 'banned-words')).toMatchObject({ package: '@fixture/banned-words' });
    expect(() => findPlugin(catalogue, 'guard', 'twin')).toThrow(PluginLoadError);
    expect(findPlugin(catalogue, 'provider', 'twin')).toBeNull();
  });

  it('refuses development dependencies', () => {
    expect(refusals(discover(makeProject({ devDependencies: ['banned-words'] })))).toEqual([
      ['@fixture/banned-words', 'dev_dependency'],
    ]);
  });

  it('throws for a root whose package.json is not JSON', () => {
    const project = makeProject();
    writeFileSync(project.packageJson, '{');
    expect(() => discover(project)).toThrow(project.packageJson);
  });
});

describe('an allow-list', () => {
  it('loads only pinned content and the host', () => {
    const host = makeProject({ dependencies: ['sink'] });
    const project = makeProject({ dependencies: ['banned-words', 'parrot'] });
    const allowList = { '@fixture/banned-words': pinOf(project.folderOf('banned-words')) };
    const catalogue = discover(project, allowList, host);
    expect(catalogue.entries.map((entry) => entry.package)).toEqual(['@fixture/sink', '@fixture/banned-words']);
    expect(refusals(catalogue)).toEqual([['@fixture/parrot', 'not_allowed']]);
  });

  it('refuses content that differs from its pin, including content of the host', () => {
    const host = makeProject({ dependencies: ['sink'] });
    const project = makeProject({ dependencies: ['banned-words'] });
    const allowList = {
      '@fixture/banned-words': pinOf(project.folderOf('banned-words')),
      '@fixture/sink': pinOf(host.folderOf('sink')),
    };
    writeFileSync(join(project.folderOf('banned-words'), 'extra.js'), '');
    writeFileSync(join(host.folderOf('sink'), 'extra.js'), '');
    expect(refusals(discover(project, allowList, host))).toEqual([
      ['@fixture/sink', 'pin_mismatch'],
      ['@fixture/banned-words', 'pin_mismatch'],
    ]);
  });

  it('refuses a pinned package that contains a link, because no pin covers the target', () => {
    const project = makeProject({ dependencies: ['banned-words'] });
    const allowList = { '@fixture/banned-words': pinOf(project.folderOf('banned-words')) };
    symlinkSync('index.js', join(project.folderOf('banned-words'), 'link.js'));
    expect(refusals(discover(project, allowList))).toEqual([['@fixture/banned-words', 'pin_mismatch']]);
  });

  it('treats names of Object.prototype like any other name', () => {
    expect(refusals(discover(makeProject({ dependencies: ['banned-words'] }), {}))).toEqual([
      ['@fixture/banned-words', 'not_allowed'],
    ]);
  });
});
