import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importProblems } from './folder-cycles.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-folders-'));
});
afterEach(() => rmSync(root, { recursive: true }));

/** @param files by path, each with what it imports */
function planted(files: Readonly<Record<string, readonly string[]>>): string[] {
  for (const [path, imports] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), imports.map((name) => `import { x } from '${name}';\n`).join(''));
  }
  return importProblems(root);
}

it('imports in one direction are no problem, and neither is an entry above them', () => {
  expect(
    planted({
      'kernel/kernel/src/index.ts': ['./runs/runs.ts', './pipeline/stage.ts'],
      'kernel/kernel/src/runs/runs.ts': ['../pipeline/stage.ts', './states.ts', '@svc/contracts'],
      'kernel/kernel/src/pipeline/stage.ts': ['../version.ts', 'node:fs'],
      'kernel/kernel/src/pipeline/stage.test.ts': ['../runs/runs.ts', '../../../../test/harness/gateway.ts'],
    }),
  ).toEqual([]);
});

it.each([
  ['two folders', { 'a/one.ts': ['../b/two.ts'], 'b/two.ts': ['../a/other.ts'] }],
  ['three folders', { 'a/one.ts': ['../b/two.ts'], 'b/two.ts': ['../c/three.ts'], 'c/three.ts': ['../a/other.ts'] }],
  ['a folder and the one it lies in', { 'one.ts': ['./b/two.ts'], 'b/two.ts': ['../other.ts'] }],
])('%s that import each other are one problem, though no two files do', (_, files) => {
  const inPackage = Object.fromEntries(Object.entries(files).map(([path, imports]) => [`plugins/guard-x/src/${path}`, imports]));
  expect(planted(inPackage)).toHaveLength(1);
});

it('a path into another package is a problem, but not where a page reads the types of the server', () => {
  writeFile('sdk/toolkit/src/work/turns.ts', "type X = import('../../../plugin/src/define.ts').X;\n");
  writeFile('host/pages/showcase/main.ts', "import type { X } from '../../src/http/schemas.ts';\n");
  expect(importProblems(root)).toEqual(
    ['sdk/toolkit/src/work/turns.ts imports a file of another package by its path'].map((text) => text),
  );
});

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
