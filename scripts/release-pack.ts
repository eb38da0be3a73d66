import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

/** Folders of the published packages. */
export const PUBLISHED: readonly string[] = [
  ...['kernel', 'sdk', 'plugins'].flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)),
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

/** Packs all published packages with one call, because each start of npm takes a second. A package comes after those that it depends on. */
export async function packPublished(destination: string): Promise<Packed[]> {
  const listed = await listPacked(ROOT, destination, ...PUBLISHED.map((folder) => `--workspace=${folder}`));
  const packed = PUBLISHED.map((published) => {
    const folder = join(ROOT, published);
    const { name } = manifestOf(folder);
    return packedOf(
      listed.find((one) => one.name === name),
      folder,
      destination,
    );
  });
  return inOrder(packed);
}

/** Packs a folder like `npm publish`. */
export async function pack(folder: string, destination: string): Promise<Packed> {
  const [listed] = await listPacked(folder, destination);
  return packedOf(listed, folder, destination);
}

function inOrder(packed: readonly Packed[]): Packed[] {
  const ordered = new Set<Packed>();
  const place = (one: Packed): void => {
    const dependencies = Object.keys(manifestOf(one.folder).dependencies ?? {});
    for (const other of packed) if (dependencies.includes(other.name) && !ordered.has(other)) place(other);
    ordered.add(one);
  };
  for (const one of packed) place(one);
  return [...ordered];
}

function manifestOf(folder: string): { readonly name: string; readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
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
