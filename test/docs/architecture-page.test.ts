import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readPage } from './fences.ts';

const page = readPage('docs/architecture.md');

function foldersOf(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map(({ name }) => name);
}

it("names every room of the kernel, and no other; the contracts are the table's", () => {
  const [, list = ''] = page.split('Inside the kernel:\n');
  const named = [...(list.split('\n`biome.json`')[0] ?? '').matchAll(/`(\w+)\/`/g)].map(([, name]) => name);
  expect([...named, 'contracts'].sort()).toEqual(foldersOf('kernel/src').sort());
});

it('names every entry of the SDK, and no other', () => {
  const named = new Set([...page.matchAll(/`@svc\/sdk\/(\w+)`/g)].map(([, name]) => name));
  const { exports } = JSON.parse(readPage('sdk/package.json'));
  const entries = Object.keys(exports).filter((name) => name !== './package.json');
  expect([...named].map((name) => `./${name}`).sort()).toEqual(entries.sort());
});
