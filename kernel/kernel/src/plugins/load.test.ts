import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { discoverPlugins, findPlugin } from './discover.ts';
import { loadPlugin } from './load.ts';
import { PluginLoadError } from './plugin-load-error.ts';
import { makeProject, removeProjects, type TestProject } from './test-project.ts';

afterEach(removeProjects);

async function load(project: TestProject, type: string, timeout_ms?: number) {
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

  describe('names mistakes of its author', () => {
    const plugin = `export default {
      [Symbol.for('svc.plugin')]: true, apiVersion: 1, kind: 'guard', type: 'mine',
      options: { type: 'object', additionalProperties: false, properties: {} },
      create: () => ({}),
    };`;
    const commonJs = plugin.replace('export default', 'module.exports =');

    /** A package as an author has it, and how loading it ends. */
    async function refusalOf(
      files: Readonly<Record<string, string>>,
      manifest: object = { type: 'module' },
      entry = './index.js',
    ) {
      const project = makeProject();
      const folder = 'node_modules/svc-guard-mine';
      const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'mine', entry }] };
      project.write(`${folder}/package.json`, JSON.stringify({ name: 'svc-guard-mine', version: '1.0.0', ...manifest, svc }));
      for (const [path, text] of Object.entries(files)) project.write(`${folder}/${path}`, text);
      writeFileSync(project.packageJson, JSON.stringify({ dependencies: { 'svc-guard-mine': '1' } }));
      const error: unknown = await load(project, 'mine').then(
        () => new Error('it was loaded'),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof PluginLoadError)) throw error;
      expect(error.message).not.toContain('\n');
      return [error.reason, error.message] as const;
    }

    const index = (text: string) => ({ 'index.js': text });
    it.each([
      ['module.exports', index(commonJs), 'common_js', 'module is not defined'],
      ['exports.default', index(commonJs.replace('module.exports', 'exports.default')), 'common_js', 'exports is not defined'],
      ['require', index(`const { join } = require('node:path');\n${plugin}`), 'common_js', 'require is not defined'],
      ['__dirname', index(`const here = __dirname;\n${plugin}`), 'common_js', '__dirname is not defined'],
      ['no export', index('const guard = 1;'), 'no_default_export', 'exports nothing'],
      ['a named export only', index(plugin.replace('default', 'const guard =')), 'no_default_export', 'only guard'],
      ['a class', index('export default class Guard {}'), 'not_a_plugin', 'a class'],
      ['a function', index('export default () => ({})'), 'not_a_plugin', 'a function'],
      ['an object of its own', index('export default { kind: "guard" }'), 'not_a_plugin', 'an object'],
      [
        'the module that a compiler made',
        {
          ...index("import made from './made.cjs';\nexport default made;"),
          'made.cjs': commonJs.replace('module.exports', 'exports.default'),
        },
        'not_a_plugin',
        'a default of its own',
      ],
      ['a package that is not installed', index(`import 'not-installed';\n${plugin}`), 'dependency_missing', 'not-installed'],
      ['a scoped one', index(`import '@acme/words/list.js';\n${plugin}`), 'dependency_missing', '@acme/words'],
      ['a file that is missing', index(`import './gone.js';\n${plugin}`), 'import_missing', '(gone.js)'],
      ['an import without extension', { ...index(`import './words';\n${plugin}`), 'words.js': '' }, 'import_missing', '(words)'],
      ['an import of a folder', { ...index(`import './lib';\n${plugin}`), 'lib/index.js': '' }, 'import_missing', '(lib)'],
      [
        'an import of a name that is missing',
        { ...index(`import { gone } from './words.js';\n${plugin}`), 'words.js': 'export const words = 1;' },
        'export_missing',
        "'gone'",
      ],
      ['a syntax error', index('export default {'), 'import_failed', 'Unexpected end of input'],
    ] as const)('%s', async (_, files, reason, detail) => {
      expect(await refusalOf(files)).toEqual([reason, expect.stringContaining(detail)]);
    });

    it.each([
      ['no "type": "module"', index(plugin), {}, './index.js', 'not_es_module', '"type": "module"'],
      ['"type": "commonjs"', index(plugin), { type: 'commonjs' }, './index.js', 'not_es_module', '"type": "module"'],
      ['an entry of CommonJS', { 'index.cjs': commonJs }, { type: 'module' }, './index.cjs', 'not_es_module', '.cjs'],
      ['an entry in TypeScript', { 'src/index.ts': plugin }, { type: 'module' }, './src/index.ts', 'typescript', 'build'],
      [
        'a package that was not built',
        { 'src/index.ts': plugin },
        { type: 'module' },
        './dist/index.js',
        'entry_missing',
        'build',
      ],
      [
        'an entry other than its main',
        { 'lib/index.js': plugin },
        { type: 'module', main: './lib/index.js' },
        './index.js',
        'entry_missing',
        '"main" of its package.json is ./lib/index.js',
      ],
    ] as const)('%s', async (_, files, manifest, entry, reason, detail) => {
      expect(await refusalOf(files, manifest, entry)).toEqual([reason, expect.stringContaining(detail)]);
    });

    it('a wrong main has no effect, because only the entry counts', async () => {
      await expect(refusalOf(index(plugin), { type: 'module', main: './gone.js' })).rejects.toThrow('it was loaded');
    });
  });
});
