import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointText, TreeHash } from '@svc/ledger/chain';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TileFolder } from './tile-folder.ts';

const ORIGIN = 'example.org/gateway';
const hashes = (count: number, ledger = 'one'): string[] =>
  Array.from({ length: count }, (_, at) => `sha256:${createHash('sha256').update(`${ledger} ${at}`).digest('hex')}`);
const ALL = hashes(66_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tiles-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A note without a valid signature, which the folder does not need. */
function noteOf(of: readonly string[], origin = ORIGIN): string {
  const tree = new TreeHash();
  for (const hash of of) tree.append(hash);
  return `${checkpointText({ origin, size: of.length, root: tree.root() })}\n\u2014 ${origin} AAAAAAAA\n`;
}

async function grow(from: number, to: number): Promise<TileFolder> {
  const tiles = await TileFolder.open(folder, from);
  await tiles.append(ALL.slice(from, to));
  return tiles;
}

async function files(): Promise<Map<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = found
    .filter((entry) => entry.isFile())
    .map(
      async ({ parentPath, name }) =>
        [join(parentPath, name).slice(folder.length), await readFile(join(parentPath, name), 'base64')] as const,
    );
  return new Map(await Promise.all(contents));
}

describe('a folder of tiles', () => {
  it('is the same, however often it was grown, and whatever was not published in between', async () => {
    await (await grow(0, 700)).publish(noteOf(ALL.slice(0, 700)));
    const whole = await files();
    const steps = fc.uniqueArray(fc.integer({ min: 1, max: 699 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), async (sizes, published) => {
        await rm(folder, { recursive: true });
        let at = 0;
        for (const [step, size] of [...sizes.sort((a, b) => a - b), 700].entries()) {
          const tiles = await grow(at, size);
          if (published[step] || size === 700) await tiles.publish(noteOf(ALL.slice(0, size)));
          else await tiles.flush();
          at = size;
        }
        expect(await files()).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('has the tiles of the specification: full ones, then a partial one of each level', { timeout: 60_000 }, async () => {
    await (await grow(0, 66_000)).publish(noteOf(ALL));
    const names = [...(await files()).keys()].map((path) => path.replace(/^\/tile\//, ''));
    const at = (level: string) => names.filter((name) => name.startsWith(`${level}/`));
    // 66,000 = 257 × 256 + 208 = 65,536 + 464.
    expect([at('0').length, at('entries').length]).toEqual([258, 258]);
    expect(at('0')).toContain('0/257.p/208');
    expect(at('1').sort()).toEqual(['1/000', '1/001.p/1']);
    expect(at('2')).toEqual(['2/000.p/1']);
  });

  it('publishes an earlier size than it has, and continues after it', async () => {
    const tiles = await grow(0, 300);
    await tiles.flush();
    await tiles.publish(noteOf(ALL.slice(0, 260)));
    expect(await TileFolder.published(folder)).toMatchObject({ size: 260 });
    expect([...(await files()).keys()]).toEqual(
      expect.arrayContaining(['/tile/0/001.p/4', '/tile/entries/001.p/4', '/tile/0/001.p/44']),
    );
    await (await grow(300, 301)).publish(noteOf(ALL.slice(0, 301)));
    expect([...(await files()).keys()].filter((path) => path.includes('.p/')).sort()).toEqual([
      '/tile/0/001.p/45',
      '/tile/1/000.p/1',
      '/tile/entries/001.p/45',
    ]);
  });

  it('publishes no older checkpoint over a newer one', async () => {
    const tiles = await grow(0, 300);
    await tiles.publish(noteOf(ALL.slice(0, 300)));
    await tiles.publish(noteOf(ALL.slice(0, 260)));
    expect(await TileFolder.published(folder)).toMatchObject({ size: 300 });
  });

  const refused = { name: 'TileDiffers' };
  it('refuses a checkpoint of another tree, of another log, or of more records', async () => {
    const tiles = await grow(0, 300);
    await expect(tiles.publish(noteOf([...ALL.slice(0, 299), ...hashes(1, 'other')]))).rejects.toMatchObject(refused);
    await expect(tiles.publish(noteOf(ALL.slice(0, 301)))).rejects.toMatchObject(refused);
    expect(await TileFolder.published(folder)).toBeNull();
    await tiles.publish(noteOf(ALL.slice(0, 300)));
    await expect(tiles.publish(noteOf(ALL.slice(0, 300), 'example.org/other'))).rejects.toMatchObject(refused);
  });

  it('does not take a folder of partial tiles that cannot be read for an empty one', async () => {
    await grow(0, 3).then((tiles) => tiles.flush());
    const partials = join(folder, 'tile', '0', '000.p');
    await rm(partials, { recursive: true });
    await writeFile(partials, '');
    await expect(TileFolder.open(folder, 3)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  it('refuses to grow a folder in which a byte was changed, or a tile is missing', async () => {
    await (await grow(0, 300)).publish(noteOf(ALL.slice(0, 300)));
    await expect(TileFolder.open(folder, 400)).rejects.toMatchObject(refused);
    for (const path of ['tile/0/001.p/44', 'tile/entries/001.p/44']) {
      const bytes = await readFile(join(folder, path));
      await writeFile(join(folder, path), bytes.with(40, (bytes[40] ?? 0) ^ 1));
      await expect(TileFolder.open(folder, 300)).rejects.toMatchObject(refused);
      await writeFile(join(folder, path), bytes);
    }
    await rename(join(folder, 'tile/1/000.p/1'), join(folder, 'away'));
    await expect(TileFolder.open(folder, 300)).rejects.toMatchObject(refused);
    // A full tile that differs is found when the tree above it is needed.
    await rename(join(folder, 'away'), join(folder, 'tile/1/000.p/1'));
    await writeFile(join(folder, 'tile/1/000.p/1'), Buffer.alloc(32, 7));
    const tiles = await TileFolder.open(folder, 300);
    await tiles.append(ALL.slice(300, 301));
    await expect(tiles.publish(noteOf(ALL.slice(0, 301)))).rejects.toMatchObject(refused);
  });
});
