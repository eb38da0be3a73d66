import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

const page = readPage('docs/architecture.md');

function foldersOf(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
}

it.each(['kernel', 'runtime'])('names every folder of the %s, and no other', (name) => {
  const [, list = ''] = page.split(`In the ${name}:\n`);
  const named = [...(list.split('\nIn the ')[0] ?? '').matchAll(/^- ((?:`[\w-]+\/`(?:, | and )?)+)/gm)];
  const folders = named.flatMap(([, folders = '']) => [...folders.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder));
  expect(folders.sort()).toEqual(foldersOf(`kernel/${name}/src`).sort());
});

it('names every folder of the host and of its HTTP', () => {
  const [, list = ''] = page.split('In the host:\n');
  const named = [...(list.split('\nThe pages')[0] ?? '').matchAll(/`([\w-]+)\/`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual([...foldersOf('host/src'), ...foldersOf('host/src/http')].sort());
});

function nameOf(folder: string): string | undefined {
  if (!existsSync(join(ROOT, folder, 'pyproject.toml'))) return JSON.parse(readPage(`${folder}/package.json`)).name;
  return /^name = "(.*)"$/m.exec(readPage(`${folder}/pyproject.toml`))?.[1];
}

it('names every package, with its folder', () => {
  const named = [...page.matchAll(/^((?:kernel|sdk)\/\w+|host) +(\S+)/gm)].map(([, folder, name]) => `${folder} ${name}`);
  const folders = [...['kernel', 'sdk'].flatMap((at) => foldersOf(at).map((name) => `${at}/${name}`)), 'host'];
  expect(named.sort()).toEqual(folders.map((folder) => `${folder} ${nameOf(folder)}`).sort());
});
