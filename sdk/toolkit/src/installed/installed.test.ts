import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedUrl, NotInstalledError, requireInstalled } from './installed.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-installed-'));
const [directory, plugin] = [join(root, 'configuration'), join(root, 'plugin')];
const pluginUrl = pathToFileURL(join(plugin, 'index.js')).href;

function install(folder: string, name: string): string {
  const to = join(folder, 'node_modules', name);
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'package.json'), JSON.stringify({ name, type: 'module', exports: { '.': './main.js' } }));
  writeFileSync(join(to, 'main.js'), '');
  return pathToFileURL(join(to, 'main.js')).href;
}

let both: string;
let beside: string;
beforeAll(() => {
  both = install(directory, '@vendor/both');
  install(plugin, '@vendor/both');
  beside = install(plugin, 'beside');
});
afterAll(() => rmSync(root, { recursive: true }));

it('the folder of the configuration comes before the folder of the plugin', () => {
  expect(requireInstalled(['@vendor/both', 'beside'], directory, pluginUrl)).toEqual([both, beside]);
});

it('a missing package, or a path that it does not export, is not found', () => {
  expect(installedUrl('nowhere', directory, pluginUrl)).toBeNull();
  expect(installedUrl('beside/other', directory, pluginUrl)).toBeNull();
});

it('the error has the command for everything that is missing', () => {
  const missing = () => requireInstalled(['nowhere', 'beside', '@vendor/none'], directory, pluginUrl);
  expect(missing).toThrow(NotInstalledError);
  expect(missing).toThrow(/npm install nowhere @vendor\/none /);
});
