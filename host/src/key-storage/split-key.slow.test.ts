import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyTree, leafPlace, placeAbove } from '@svc/runtime/content';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keyText, readContentKey } from './key-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-split-key-'));
  file = join(folder, 'content.key');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes the key as a release without parts did after it had forgotten something. */
const writeWhole = (key: KeyTree) => writeFile(file, keyText(key), { mode: 0o600 });

/** All files of the key, by path. */
async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** Names of which a few share a part. */
const leaves = fc.uniqueArray(fc.oneof(fc.uuid(), fc.nat({ max: 60 }).map(sameFirstPart)), { minLength: 1, maxLength: 12 });

const ofFirstPart: string[] = [];
function sameFirstPart(n: number): string {
  for (let tried = 0; ofFirstPart.length <= n; tried += 1)
    if (placeAbove(leafPlace(`leaf ${tried}`), 6).bits === 0n && !ofFirstPart.includes(`leaf ${tried}`))
      ofFirstPart.push(`leaf ${tried}`);
  return ofFirstPart[n] ?? '';
}

it('forgets the given parts permanently, in any order and from any number of processes, and derives all others unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(leaves, leaves, leaves, async (earlier, gone, others) => {
      await rm(folder, { recursive: true });
      folder = await mkdtemp(join(tmpdir(), 'svc-split-key-'));
      file = join(folder, 'content.key');
      const whole = KeyTree.generate();
      await writeWhole(whole.without(...earlier));
      const keys = await Promise.all([readContentKey(file), readContentKey(file)]);
      await Promise.all([keys[0].forget(gone.slice(1)), keys[1].forget(gone.slice(0, 2))]);
      const asWhole = whole.without(...earlier, ...gone);
      const left = await readContentKey(file);
      expect(left.id).toBe(whole.id);
      const said = Buffer.concat(await Promise.all((await files()).map((name) => readFile(name))));
      for (const leaf of [...earlier, ...gone, ...others]) {
        expect(left.keyFor(leaf)).toEqual(asWhole.keyFor(leaf));
        // No remaining node is above a forgotten leaf.
        if (asWhole.keyFor(leaf) !== null) continue;
        for (let level = 0; level <= 64; level += 1) {
          const node = whole.nodes.keyAt(placeAbove(leafPlace(leaf), level));
          expect(said.includes(node ?? '') || said.includes(node?.toString('hex') ?? '')).toBe(false);
        }
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

it('converts a key of an earlier release that forgot many runs into parts that only the owner can read', async () => {
  const whole = KeyTree.generate();
  const gone = Array.from({ length: 100 }, (_, n) => `run ${n}`);
  await writeWhole(whole.without(...gone));
  const key = await readContentKey(file);
  expect(gone.filter((leaf) => key.keyFor(leaf) !== null)).toEqual([]);
  expect(key.keyFor('another')).toEqual(whole.keyFor('another'));
  // An earlier release refuses this file. Otherwise it would consider everything in the parts forgotten.
  expect(KeyTree.parse(JSON.parse(await readFile(file, 'utf8')).key)).toBeNull();
  for (const name of await files()) expect((await stat(name)).mode & 0o777).toBe(0o600);
  for (const name of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (name.isDirectory()) expect((await stat(join(name.parentPath, name.name))).mode & 0o777).toBe(0o700);
});

it('does not restore anything from an interrupted conversion', async () => {
  const whole = KeyTree.generate();
  await writeWhole(whole.without('a'));
  await readContentKey(file);
  const b = neighbourOf('a');
  // The parts exist, and the earlier release continues with the file that it had.
  await writeWhole(whole.without('a', b));
  const key = await readContentKey(file);
  expect([key.keyFor('a'), key.keyFor(b)]).toEqual([null, null]);
  expect(key.keyFor(neighbourOf('a', 1))).toEqual(whole.keyFor(neighbourOf('a', 1)));
});

it('refuses or reports a missing part, or a part of another key', async () => {
  await writeWhole(KeyTree.generate());
  await (await readContentKey(file)).forget(['a']);
  const part = (await files()).find((name) => name !== file) ?? '';
  const bytes = await readFile(part);
  const key = await readContentKey(file);
  await writeFile(part, bytes.subarray(0, -41));
  expect(() => key.keyFor('a')).toThrow(expect.objectContaining({ code: 'SVC-STORE-001' }));
  await expect(key.forget([neighbourOf('a')])).rejects.toThrow(/part/);
  await rm(part);
  expect(() => key.keyFor('a')).toThrow(expect.objectContaining({ code: 'SVC-STORE-001' }));
  await expect(key.forget([neighbourOf('a')])).rejects.toThrow(/part/);
  await expect(readContentKey(file)).rejects.toThrow(/content\.key\.parts/);
  await writeFile(part, bytes);
  expect((await readContentKey(file)).keyFor('a')).toBeNull();
});

function neighbourOf(leaf: string, skip = 0): string {
  const part = (name: string): bigint => placeAbove(leafPlace(name), 12).bits;
  let left = skip;
  for (let n = 0; ; n += 1) if (part(`neighbour ${n}`) === part(leaf) && left-- === 0) return `neighbour ${n}`;
}
