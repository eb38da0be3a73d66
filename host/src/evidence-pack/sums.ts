import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FILES, isFileOfPack } from './files.ts';

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;

const NOT_A_FILE = 'not a file';

/** What is in a folder, in the order of names, except the list of digests. `isFile`: neither a link nor a device. */
export async function filesIn(folder: string): Promise<readonly { readonly name: string; readonly isFile: boolean }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({
      name: relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'),
      isFile: entry.isFile(),
    }))
    .filter(({ name, isFile }) => name !== FILES.sums || !isFile)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The digest of each file of {@link filesIn}, by its name. A link or a device has the digest {@link NOT_A_FILE}. */
export async function sumsOf(folder: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  for (const { name, isFile } of await filesIn(folder)) sums.set(name, isFile ? await sha256Of(join(folder, name)) : NOT_A_FILE);
  return sums;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** In the format of `sha256sum`. */
export function sumsText(sums: ReadonlyMap<string, string>): string {
  return [...sums].map(([name, digest]) => `${digest}  ${name}\n`).join('');
}

/** What no pack has: links and devices, which could be read without end, and files of other names, which nothing checks. In words. */
export function foreignIn(sums: ReadonlyMap<string, string>): string[] {
  return [...sums].flatMap(([name, digest]) => {
    if (digest === NOT_A_FILE) return [`${name} is not a file`];
    return isFileOfPack(name) ? [] : [`${name} does not belong in a pack`];
  });
}

/** How the files differ from the list, in words. Empty: they do not, and the list has not one byte more. */
export function differencesFrom(list: string, sums: ReadonlyMap<string, string>): string[] {
  const listed = new Map<string, string>();
  for (const line of list.split('\n')) {
    const [, digest, name] = LINE.exec(line) ?? [];
    if (digest !== undefined && name !== undefined) listed.set(name, digest);
  }
  const differences = [
    ...[...sums].flatMap(([name, digest]) =>
      listed.get(name) === digest ? [] : [`${name} ${listed.has(name) ? 'was changed' : 'was added'}`],
    ),
    ...[...listed.keys()].filter((name) => !sums.has(name)).map((name) => `${name} is missing`),
  ];
  return differences.length === 0 && list !== sumsText(sums) ? [`${FILES.sums} was changed`] : differences;
}
