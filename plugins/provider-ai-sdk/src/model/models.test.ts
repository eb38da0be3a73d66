import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeCallContext, fakePluginDeps } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aiSdkProvider } from '../provider.ts';
import { optionsWith, read } from '../provider-fixture.ts';

const SECRET = 'key-of-the-operator';
const request = { model: 'm-1', messages: [{ role: 'user', content: 'hello' }] };

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ai-sdk-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Installs a package of this source in the folder of the configuration. */
function install(name: string, source: string): void {
  const folder = join(directory, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name, type: 'module', exports: { '.': { import: './index.js' } } }),
  );
  writeFileSync(join(folder, 'index.js'), source);
}

async function call(options: object) {
  const deps = fakePluginDeps({ directory });
  const provider = aiSdkProvider(optionsWith({ settings: { apiKey: SECRET }, ...options }), deps);
  const results = await Promise.allSettled([provider.complete(request, fakeCallContext()), read(provider, request)]);
  return { results, log: deps.logger.lines };
}

const model = (version: string) => `{
  specificationVersion: '${version}',
  doGenerate: async () => ({
    content: [{ type: 'text', text: 'from ' + settings.apiKey.length }],
    finishReason: { unified: 'stop', raw: 'stop' }, usage: {}, warnings: [],
  }),
}`;

test('a package in the folder of the configuration is found', async () => {
  install('fake', `export const createFake = (settings) => ({ languageModel: () => (${model('v4')}) });`);
  const { results } = await call({ package: 'fake' });
  expect(results[0]).toMatchObject({
    value: { completion: { choices: [{ message: { content: `from ${SECRET.length}` } }] } },
  });
});

describe('a package that cannot be used is a fault of the configuration: the log says why and what to do', () => {
  test.each([
    ['not_installed', undefined, {}],
    ['import_failed', 'throw new Error(process.argv0)', {}],
    ['no_factory', 'export const VERSION = 1', {}],
    ['no_factory', 'export const createA = () => ({})', { factory: 'createB' }],
    ['several_factories', 'export const createA = () => ({}); export const createB = () => ({})', {}],
    ['factory_failed', 'export const createA = ({ apiKey }) => { throw new Error(apiKey) }', {}],
    ['factory_failed', 'export const createA = ({ apiKey }) => ({ languageModel() { throw new Error(apiKey) } })', {}],
    ['no_language_model', 'export const createA = () => ({ imageModel: () => ({}) })', {}],
    ['wrong_specification', `export const createA = (settings) => ({ languageModel: () => (${model('v2')}) })`, {}],
    ['settings', "export const createA = ({ apiKey }) => ({ languageModel: () => ({ specificationVersion: 'v4' }) })", {}],
  ])('%s: %s', async (reason, source, more) => {
    // Modules are cached by path, so each package needs a name of its own.
    const name = `fake-${reason.replaceAll('_', '-')}-${Math.abs(source?.length ?? 0)}`;
    if (source !== undefined) install(name, source);
    const { results, log } = await call({ package: name, ...more });
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'configuration', cost: 'none' } });
    }
    expect(log).toMatchObject(
      [1, 2].map(() => ({ level: 'error', fields: { event: 'ai_sdk_package_unusable', package: name, reason } })),
    );
    expect(JSON.stringify([log, results])).not.toContain(SECRET);
    if (reason === 'not_installed')
      expect(log[0]?.fields).toMatchObject({ remedy: expect.stringContaining(`npm install ${name}`) });
  });
});

test('a package that is installed later is found without a restart', async () => {
  const provider = aiSdkProvider(optionsWith({ package: 'late', settings: { apiKey: 'k' } }), fakePluginDeps({ directory }));
  await expect(provider.complete(request, fakeCallContext())).rejects.toMatchObject({ kind: 'configuration' });
  install('late', `export const createLate = (settings) => ({ languageModel: () => (${model('v4')}) });`);
  await expect(provider.complete(request, fakeCallContext())).resolves.toMatchObject({ unsupported: [] });
});

test('a real package without its key is a fault of the configuration', async () => {
  const { results, log } = await call({ package: '@ai-sdk/cohere', settings: { baseURL: 'http://127.0.0.1:9' } });
  for (const result of results) expect(result).toMatchObject({ reason: { kind: 'configuration', cost: 'none' } });
  expect(log).toMatchObject([{ fields: { reason: 'settings' } }, { fields: { reason: 'settings' } }]);
});
