// Puts the built files in place so that a running server finds each file complete, old or new.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HASH = '#'.charCodeAt(0);

/** Writes all files under temporary names first, then renames them in order: an imported file comes before its importers. */
export function placeFiles(root, files) {
  const aside = files.map(({ path, contents }) => {
    const place = join(root, path);
    const written = `${place}.${process.pid}.next`;
    mkdirSync(dirname(place), { recursive: true });
    // A command, such as `svc`, starts with `#!`.
    writeFileSync(written, contents, { mode: contents[0] === HASH || contents[0] === '#' ? 0o755 : 0o644 });
    return { place, written };
  });
  for (const { place, written } of aside) renameSync(written, place);
}

/** How long a server that was started from an earlier build can still load its files. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Removes files of earlier builds from a folder. */
export function removeOutdated(dist, current) {
  if (!existsSync(dist)) return;
  for (const name of readdirSync(dist, { recursive: true })) {
    const path = join(dist, name);
    if (!/\.(js(\.map)?|next)$/.test(name) || current.has(path)) continue;
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changed > KEPT_MS) rmSync(path, { force: true });
  }
}
