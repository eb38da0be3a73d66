import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');

/** Folders of the published packages. */
export const PUBLISHED: readonly string[] = [
  ...['kernel', 'sdk', 'plugins'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name))),
  'host',
].filter((folder) => existsSync(join(ROOT, folder, 'package.json')));

/** Maximum bytes of npm's file list. */
const MAX_LISTED = 16 * 1024 * 1024;

export interface Packed {
  readonly name: string;
  readonly folder: string;
  readonly tarball: string;
  readonly files: readonly string[];
}

/** Packs all published packages with one call, because each start of npm takes a second. */
export async function packPublished(destination: string): Promise<Packed[]> {
  const listed = await listPacked(ROOT, destination, ...PUBLISHED.map((folder) => `--workspace=${folder}`));
  return PUBLISHED.map((published) => {
    const folder = join(ROOT, published);
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return packedOf(
      listed.find((one) => one.name === name),
      folder,
      destination,
    );
  });
}

/** Packs a folder like `npm publish`. */
export async function pack(folder: string, destination: string): Promise<Packed> {
  const [listed] = await listPacked(folder, destination);
  return packedOf(listed, folder, destination);
}

/** npm's description of a tarball. */
interface Listed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function listPacked(cwd: string, destination: string, ...more: string[]): Promise<Listed[]> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination, ...more];
  return JSON.parse((await run('npm', args, { cwd, maxBuffer: MAX_LISTED })).stdout);
}

function packedOf(listed: Listed | undefined, folder: string, destination: string): Packed {
  if (listed === undefined) throw new Error(`${folder} was not packed`);
  const { name, filename, files } = listed;
  return { name, folder, tarball: join(destination, filename), files: files.map(({ path }) => path) };
}

/** Problems that a strict check finds in a package, as text. */
export async function faultsOf({ folder, tarball, files }: Packed): Promise<string[]> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const data = readFileSync(tarball);
  const { messages } = await publint({ strict: true, pack: { tarball: toArrayBuffer(data) } });
  const types = await checkPackage(createPackageFromTarballData(data));
  return [
    ...messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code),
    // The packages have only ESM and only subpaths in `exports`. Tools without support for these are ignored.
    ...(types.types === false ? ['no types'] : types.problems)
      .filter((problem) => typeof problem === 'string' || !isForOldResolution(problem))
      .map((problem) => JSON.stringify(problem)),
    ...['package.json', 'README.md', 'LICENSE'].filter((name) => !files.includes(name)).map((name) => `no ${name}`),
    ...files.filter(
      (file) => /(^|\/)(src|test|node_modules)\/|\.test\.|(^|\/)test-[^/]*$/.test(file) && !file.startsWith('templates/'),
    ),
    ...(manifest.publishConfig?.provenance === true ? [] : ['no provenance']),
  ];
}

function isForOldResolution(problem: object): boolean {
  return 'resolutionKind' in problem && (problem.resolutionKind === 'node10' || problem.resolutionKind === 'node16-cjs');
}

function toArrayBuffer(data: Buffer): ArrayBuffer {
  return new Uint8Array(data).buffer;
}
