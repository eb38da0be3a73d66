import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isInRange } from './setup-node.js';

/** A clone with these scripts, a server package `a` and a development package `b`. Its build writes a file. */
class Clone {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-setup-'));

  /** Made once, because npm packs and locks the same each time. Only the supported versions of Node differ. */
  static of(made: Clone, engines = '>=1.0.0'): Clone {
    const clone = new Clone();
    onTestFinished(() => clone.remove());
    cpSync(made.folder, clone.folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(clone.folder, 'package.json'), 'utf8'));
    clone.write('package.json', JSON.stringify({ ...manifest, engines: { node: engines } }));
    return clone;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes its files into the empty folder. */
  make(): void {
    const scripts = join(this.folder, 'scripts');
    mkdirSync(join(scripts, 'node'), { recursive: true });
    for (const name of readdirSync(import.meta.dirname).filter((one) => /^setup.*\.js$/.test(one)))
      cpSync(join(import.meta.dirname, name), join(scripts, name));
    this.write('scripts/build.js', "import { writeFileSync } from 'node:fs'; writeFileSync('built', '')");
    this.write('scripts/package.json', '{"type":"module"}');
    this.write('scripts/node/package.json', JSON.stringify({ optionalDependencies: {} }));
    this.pack('a', '1.0.0');
    this.pack('b', '1.0.0');
    this.write(
      'package.json',
      JSON.stringify({
        name: 'clone',
        dependencies: { a: 'file:a-1.0.0.tgz' },
        devDependencies: { b: 'file:b-1.0.0.tgz' },
      }),
    );
    this.npm('install', '--package-lock-only');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  pack(name: string, version: string): void {
    const home = join(this.folder, 'sources', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name, version }));
    this.npm('pack', home);
  }

  npm(...args: string[]): void {
    const { status, stderr } = spawnSync('npm', [...args, '--offline', '--no-audit'], { cwd: this.folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  }

  setup(args: readonly string[] = [], npm_execpath?: string): { status: number | null; stderr: string } {
    const { npm_execpath: _, npm_node_execpath: __, ...env } = process.env;
    const given = npm_execpath === undefined ? {} : { npm_execpath };
    return spawnSync(process.execPath, [join(this.folder, 'scripts', 'setup.js'), ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { ...env, ...given, npm_config_offline: 'true' },
    });
  }

  version(name: string): string | null {
    const file = join(this.folder, 'node_modules', name, 'package.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
  }

  inode(name: string): number {
    return statSync(join(this.folder, 'node_modules', name)).ino;
  }
}

describe('the set-up', () => {
  const made = new Clone();
  beforeAll(() => made.make());
  afterAll(() => made.remove());

  it('installs what serving needs, then what tests need, then what a new lock names', () => {
    const clone = Clone.of(made);
    const first = clone.setup();
    expect(first).toMatchObject({ status: 0, stderr: expect.stringMatching(/^svc: installing .*\n(svc: .*\n)*svc: .*done/) });
    expect([clone.version('a'), clone.version('b'), existsSync(join(clone.folder, 'built'))]).toEqual(['1.0.0', null, true]);
    // Installs nothing, so it needs no npm and no network.
    expect(clone.setup([], '/nowhere/npm.js')).toMatchObject({ status: 0, stderr: '' });
    const server = clone.inode('a');
    expect(clone.setup(['--include=dev'])).toMatchObject({ status: 0 });
    expect([clone.version('a'), clone.version('b')]).toEqual(['1.0.0', '1.0.0']);
    // A running server keeps its files.
    expect(clone.inode('a')).toBe(server);
    expect(clone.setup([], '/nowhere/npm.js')).toMatchObject({ status: 0, stderr: '' });
    clone.pack('b', '2.0.0');
    const manifest = readFileSync(join(clone.folder, 'package.json'), 'utf8');
    clone.write('package.json', manifest.replace('b-1.0.0', 'b-2.0.0'));
    clone.npm('install', '--package-lock-only');
    expect(clone.setup()).toMatchObject({ status: 0 });
    expect([clone.version('b'), clone.inode('a')]).toEqual(['2.0.0', server]);
  });

  it('repairs an installation that broke off', () => {
    const clone = Clone.of(made);
    // Fails after a part of the work.
    clone.write('broken.js', "require('node:fs').mkdirSync('node_modules/a', { recursive: true }); process.exit(9)");
    expect(clone.setup(['--include=dev'], join(clone.folder, 'broken.js'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('run the same command again'),
    });
    expect(clone.version('a')).toBeNull();
    expect(clone.setup(['--include=dev'])).toMatchObject({ status: 0 });
    expect([clone.version('a'), clone.version('b')]).toEqual(['1.0.0', '1.0.0']);
  });

  it('lets one installation finish if the other fails, so that nothing runs after its end', () => {
    const clone = Clone.of(made, '>=1000.0.0');
    const pinned = `node-${process.platform}-${process.arch}`;
    clone.write('scripts/node/package.json', JSON.stringify({ optionalDependencies: { [pinned]: '1.0.0' } }));
    // Fails for Node, and is slow for the packages.
    clone.write(
      'npm.js',
      `if (process.cwd().endsWith('node')) process.exit(9); setTimeout(() => console.error('finished'), 300)`,
    );
    expect(clone.setup([], join(clone.folder, 'npm.js'))).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^finished\n(svc: .*\n)*.*run the same command again/m),
    });
  });

  it('refuses an unsupported Node if none is pinned for the platform', () => {
    const clone = Clone.of(made, '>=1000.0.0');
    expect(clone.setup()).toMatchObject({ status: 1, stderr: expect.stringContaining(process.versions.node) });
    expect(clone.version('a')).toBeNull();
  });
});

it.each([
  ['22.18.9', false],
  ['22.19.0', true],
  ['22.23.3', true],
  ['20.20.2', false],
  ['23.0.0', false],
  ['24.21.0', false],
  ['26.12.0', false],
  ['26.12.1', true],
  ['26.13.0', true],
  ['27.0.0-nightly2026', true],
])('Node %s is supported: %s', (version, supported) => {
  const { engines } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
  expect(isInRange(version, engines.node)).toBe(supported);
});
