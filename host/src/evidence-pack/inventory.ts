import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@svc/contracts';
import { LEDGER } from '../served/ledger-pages.ts';
import { INVENTORY } from './files.ts';
import type { PackSource } from './pack-source.ts';

const PAGE = 1000;

/** Writes the proof of the newest inventory record of each route from before the record `first`. Memory grows with the routes. */
export async function writeInventory(source: PackSource, folder: string, first: number): Promise<void> {
  await mkdir(join(folder, INVENTORY), { recursive: true });
  for (const seq of await newestOfRoutes(source, first)) {
    const proof = await source.text(`${LEDGER}/proof?seq=${seq}`);
    await writeFile(join(folder, INVENTORY, `${seq}.tlog-proof`), proof, { flag: 'wx' });
  }
}

async function newestOfRoutes(source: PackSource, first: number): Promise<number[]> {
  const newest = new Map<string, number>();
  for await (const page of source.records('/v1/audit/inventory', 0, PAGE))
    for (const bytes of page) {
      const record: unknown = JSON.parse(Buffer.from(bytes).toString());
      if (!isObject(record) || typeof record.seq !== 'number' || typeof record.model_id !== 'string') continue;
      if (record.seq >= first) return [...newest.values()];
      newest.set(record.model_id, record.seq);
    }
  return [...newest.values()];
}
