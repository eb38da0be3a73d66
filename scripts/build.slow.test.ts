import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placeFiles, removeOutdated } from './build-place.js';

const root = join(import.meta.dirname, '..');
const record = join(root, 'node_modules', '.svc-build.json');
const builtFiles = () => (JSON.parse(readFileSync(record, 'utf8')) as { files: string[] }).files.map((path) => join(root, path));

const LOOK_MS = 20;

async function building(whileIt: () => void = () => {}): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'scripts', 'build.js')], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  while (child.exitCode === null) {
    whileIt();
    // Without a pause, the looks would take as much of the processor as the build.
    await setTimeout(LOOK_MS);
  }
  expect((await ended)[0]).toBe(0);
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-build-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('the build', () => {
  it('keeps every file readable and complete during a build', async () => {
    const files = builtFiles();
    const sizeOf = (path: string): number => {
      accessSync(path, constants.R_OK);
      return statSync(path).size;
    };
    const before = new Map(files.map((path) => [path, sizeOf(path)]));
    rmSync(record);
    let looks = 0;
    await building(() => {
      expect(files.filter((path) => sizeOf(path) !== before.get(path))).toEqual([]);
      looks += 1;
    });
    expect(looks).toBeGreaterThan(10);
    expect(builtFiles().sort()).toEqual(files.sort());
  });

  it('does nothing if no source has changed', async () => {
    const times = () => builtFiles().map((path) => statSync(path).mtimeMs);
    const before = times();
    await building();
    expect(times()).toEqual(before);
  });
});

describe('the result of a build', () => {
  it('replaces files, and leaves nothing beside them', () => {
    const root = folder();
    placeFiles(root, [{ path: 'dist/a.js', contents: 'old' }]);
    placeFiles(root, [
      { path: 'dist/chunk-1.js', contents: 'one' },
      { path: 'dist/a.js', contents: 'new' },
    ]);
    expect(readdirSync(join(root, 'dist')).sort()).toEqual(['a.js', 'chunk-1.js']);
    expect(readFileSync(join(root, 'dist/a.js'), 'utf8')).toBe('new');
  });

  it('removes files of earlier builds after a day, and none that a server of an hour ago may load', () => {
    const dist = folder();
    mkdirSync(join(dist, 'sub'));
    const hours = (ago: number) => Date.now() / 1000 - ago * 3600;
    for (const [name, ago] of [
      ['current.js', 48],
      ['types.d.ts', 48],
      ['sub/chunk-OLD.js', 48],
      ['sub/chunk-OLD.js.map', 48],
      ['chunk-YOUNG.js', 1],
      ['broken-off.js.123.next', 48],
    ] as const) {
      writeFileSync(join(dist, name), '');
      utimesSync(join(dist, name), hours(ago), hours(ago));
    }
    removeOutdated(dist, new Set([join(dist, 'current.js')]));
    expect(readdirSync(dist, { recursive: true }).sort()).toEqual(['chunk-YOUNG.js', 'current.js', 'sub', 'types.d.ts']);
  });
});
