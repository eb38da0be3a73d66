import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The pin of a package: `sha512-` and the base64 SHA-512 over a list of its files. The list has an entry for every file in the folder except those
 * under its top-level `node_modules`, in the byte order of their paths. An entry is the file's SHA-512 in lower-case hex, two spaces, its path
 * relative to the folder with `/` between the parts, and a NUL byte. This command prints the same list:
 *
 * find . -path ./node_modules -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha512sum -z
 *
 * The dependencies of the package are not covered; the lockfile pins them.
 * @throws {Error} if the package contains anything but files and folders: the pin would not cover the target of a link
 */
export function pinOf(directory: string): string {
  const files: Buffer[] = [];
  for (const item of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name).slice(join(directory, sep).length).split(sep).join('/');
    if (path === 'node_modules' || path.startsWith('node_modules/')) continue;
    if (item.isFile()) files.push(Buffer.from(path));
    else if (!item.isDirectory()) throw new Error(`${path} is neither a file nor a folder`);
  }
  const total = createHash('sha512');
  for (const path of files.sort(Buffer.compare)) {
    const content = createHash('sha512').update(readFileSync(join(directory, path.toString())));
    total
      .update(`${content.digest('hex')}  `)
      .update(path)
      .update('\0');
  }
  return `sha512-${total.digest('base64')}`;
}
