import { writeFileSync } from 'node:fs';
import { findPlugin, PluginLoadError } from '@svc/kernel/plugins';
import { afterEach, expect, it } from 'vitest';
import { makeProject, removeProjects, type TestProject } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { findCatalogue } from './find-catalogue.ts';
import { loadPlugin } from './load-plugin.ts';
import { ExplainedRefusal } from './package-mistakes.ts';
import { Report } from './report.ts';

afterEach(removeProjects);

async function load({ directory, write }: TestProject) {
  const report = new Report('svc.yaml', () => ({ line: 1, column: 1 }));
  const catalogue = findCatalogue(directory, write('host/package.json', '{}'), undefined, report);
  const entry = catalogue === null ? null : findPlugin(catalogue, 'guard', 'mine');
  if (entry === null) throw new Error('the package offers no guard');
  return loadPlugin(entry);
}

const plugin = `export default {
  [Symbol.for('svc.plugin')]: true, apiVersion: 1, kind: 'guard', type: 'mine',
  options: { type: 'object', additionalProperties: false, properties: {} },
  create: () => ({}),
};`;
const commonJs = plugin.replace('export default', 'module.exports =');

/** A package as an author has it, and how loading it ends. */
async function refusalOf(files: Readonly<Record<string, string>>, manifest: object = { type: 'module' }, entry = './index.js') {
  const project = makeProject();
  const folder = 'node_modules/svc-guard-mine';
  const svc = { apiVersion: 1, plugins: [{ kind: 'guard', type: 'mine', entry }] };
  project.write(`${folder}/package.json`, JSON.stringify({ name: 'svc-guard-mine', version: '1.0.0', ...manifest, svc }));
  for (const [path, text] of Object.entries(files)) project.write(`${folder}/${path}`, text);
  writeFileSync(project.packageJson, JSON.stringify({ dependencies: { 'svc-guard-mine': '1' } }));
  const error: unknown = await load(project).then(
    () => new Error('it was loaded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PluginLoadError)) throw error;
  expect(error.message).not.toContain('\n');
  const mistake = error instanceof ExplainedRefusal ? error.mistake : null;
  return [mistake ?? error.reason, error.message] as const;
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
    'a property named default',
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
  ['a package that was not built', { 'src/index.ts': plugin }, { type: 'module' }, './dist/index.js', 'entry_missing', 'build'],
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
