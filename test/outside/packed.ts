import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');

/** Folders of the packages that are published. */
export const PUBLISHED: readonly string[] = [
  ...['kernel', 'sdk', 'plugins'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name))),
  'host',
].filter((folder) => existsSync(join(ROOT, folder, 'package.json')));

export interface Packed {
  readonly name: string;
  readonly folder: string;
  readonly tarball: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
}

/** As `npm publish` would send it. @param folder absolute, or from the root of the repository */
export async function pack(folder: string, destination: string): Promise<Packed> {
  const cwd = join(folder.startsWith('/') ? '' : ROOT, folder);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination], { cwd });
  const [{ name, filename, files }] = JSON.parse(stdout);
  return { name, folder: cwd, tarball: join(destination, filename), files: files.map(({ path }: { path: string }) => path) };
}

/** What a strict look finds wrong with a package, in words. */
export async function faultsOf({ folder, tarball, files }: Packed): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const data = readFileSync(tarball);
  const { messages } = await publint({ strict: true, pack: { tarball: toArrayBuffer(data) } });
  const types = await checkPackage(createPackageFromTarballData(data));
  return [
    ...messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code),
    // Only ESM, and subpaths by `exports`: what reads neither is not served.
    ...(types.types === false ? ['no types'] : types.problems)
      .filter((problem) => typeof problem === 'string' || !isForOldResolution(problem))
      .map((problem) => JSON.stringify(problem)),
    ...['package.json', 'README.md', 'LICENSE'].filter((name) => !files.includes(name)).map((name) => `no ${name}`),
    ...files.filter((file) => /(^|\/)(src|test|node_modules)\/|\.test\./.test(file) && !file.startsWith('templates/')),
    ...(manifest.publishConfig?.provenance === true ? [] : ['no provenance']),
  ];
}

function isForOldResolution(problem: object): boolean {
  return 'resolutionKind' in problem && (problem.resolutionKind === 'node10' || problem.resolutionKind === 'node16-cjs');
}

function toArrayBuffer(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer;
}
