import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, readlink, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportRecord } from '@svc/sdk';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JsonlExporter } from './jsonl-exporter.ts';

const NEVER = new AbortController().signal;
let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-jsonl-'));
  path = join(folder, 'evidence.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Records, chained as in the ledger. */
function chain(count: number, ledger = 'one'): ExportRecord[] {
  let prev_hash = 'genesis';
  return Array.from({ length: count }, (_, i) => {
    const seq = i + 1;
    const hash = `sha256:${createHash('sha256').update(`${ledger} ${seq}`).digest('hex')}`;
    const bytes = JSON.stringify({ hash, ledger, prev_hash, seq });
    prev_hash = hash;
    return { seq, hash, bytes };
  });
}

async function opened(cursor: number): Promise<JsonlExporter> {
  const exporter = new JsonlExporter(path);
  await exporter.open({ cursor });
  return exporter;
}

const lines = async (): Promise<string[]> => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
const bytesOf = (records: readonly ExportRecord[]): string[] => records.map(({ bytes }) => bytes);

describe('after a crash', () => {
  it('wherever a write was torn, the file is complete after the next delivery', async () => {
    const records = chain(12);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12 }), fc.nat(), fc.nat(12), async (written, torn, kept) => {
        await rm(path, { force: true });
        const exporter = await opened(0);
        if (written > 0) await exporter.deliver(records.slice(0, written), NEVER);
        await exporter.close();
        const whole = (await stat(path)).size;
        // The cursor moves only when a batch is on disk, so only data after the cursor can be torn.
        const cursor = Math.min(kept, written);
        const safe = bytesOf(records.slice(0, cursor)).reduce((sum, bytes) => sum + bytes.length + 1, 0);
        await truncate(path, safe + (torn % (whole - safe + 1)));
        const after = await opened(cursor);
        if (cursor < 12) await after.deliver(records.slice(cursor), NEVER);
        await after.close();
        expect(await lines()).toEqual(bytesOf(records));
      }),
    );
  });

  it('a last line of any length is found', async () => {
    const exporter = await opened(0);
    const [first, second] = chain(2);
    if (first === undefined || second === undefined) throw new Error('no records');
    const long = { ...first, bytes: first.bytes.replace('"one"', `"${'x'.repeat(300_000)}"`) };
    await exporter.deliver([long], NEVER);
    await exporter.close();
    await appendFile(path, 'y'.repeat(200_000));
    const after = await opened(1);
    await after.deliver([second], NEVER);
    await after.close();
    expect(await lines()).toEqual([long.bytes, second.bytes]);
  });
});

describe('is refused, and nothing is written to it:', () => {
  const refused = { name: 'FileRefused' };

  it.each([1, 5, 6])('a file of another ledger, after %i more records of ours', async (cursor) => {
    await writeFile(path, `${bytesOf(chain(5, 'other')).join('\n')}\n`);
    const before = await readFile(path, 'utf8');
    const deliver = async () => {
      const exporter = await opened(cursor);
      await exporter.deliver(chain(8).slice(cursor), NEVER).finally(() => exporter.close());
    };
    await expect(deliver()).rejects.toMatchObject(refused);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it('a file of another ledger that is longer than ours', async () => {
    await writeFile(path, `${bytesOf(chain(98, 'other')).join('\n')}\n`);
    const exporter = await opened(0);
    await expect(exporter.deliver(chain(3), NEVER)).rejects.toMatchObject(refused);
    await exporter.close();
    expect((await lines()).length).toBe(98);
  });

  it('a file in which records are missing', async () => {
    await writeFile(path, `${bytesOf(chain(5)).join('\n')}\n`);
    await expect(opened(7)).rejects.toMatchObject(refused);
  });

  it.runIf(process.platform === 'linux')('and is never left open', async () => {
    for (const text of ['a shopping list\n', `${bytesOf(chain(5)).join('\n')}\n`]) {
      await writeFile(path, text);
      await expect(opened(7)).rejects.toMatchObject(refused);
    }
    const files = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    expect(files).not.toContain(path);
  });

  it('a file with other content', async () => {
    await writeFile(path, 'a shopping list\n');
    await expect(opened(0)).rejects.toMatchObject(refused);
  });
});

it('begins a new file if the old one was moved away', async () => {
  const records = chain(4);
  const exporter = await opened(0);
  await exporter.deliver(records.slice(0, 2), NEVER);
  await rename(path, `${path}.1`);
  await exporter.deliver(records.slice(2), NEVER);
  await exporter.close();
  expect(await lines()).toEqual(bytesOf(records.slice(2)));
  expect((await readFile(`${path}.1`, 'utf8')).split('\n')).toHaveLength(3);
});

it('is readable by its owner only, and keeps the newest checkpoint beside it', async () => {
  const exporter = await opened(0);
  await exporter.deliver(chain(1), NEVER);
  for (const note of ['first', 'second']) await exporter.checkpoint(note);
  await exporter.close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(`${path}.checkpoint`, 'utf8')).toBe('second');
});
