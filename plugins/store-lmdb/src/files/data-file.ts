import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@svc/sdk/store';
import { systemCode } from './system-code.ts';

/** The magic number and version after the header of LMDB's first page, as its version 1 (data version 2) writes them. */
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** Two pages of the smallest size. */
const SMALLEST = 2 * 4096;

function looksLikeDatabase(file: number, size: number): boolean {
  const start = Buffer.alloc(MAGIC_AT + 8);
  readSync(file, start, 0, start.length, 0);
  return size >= SMALLEST && start.readUInt32LE(MAGIC_AT) === MAGIC && start.readUInt16LE(MAGIC_AT + 4) === DATA_VERSION;
}

/**
 * Refuses a folder whose data file is not a database of this LMDB: opening it would crash the process with a segmentation fault.
 * @param code `DAMAGED` if the file is known to have been an LMDB database
 */
export function checkDataFile(folder: string, code: 'OPEN' | 'DAMAGED' = 'OPEN'): void {
  let file: number;
  try {
    file = openSync(join(folder, 'data.mdb'), 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    if (size > 0 && !looksLikeDatabase(file, size)) {
      throw new StoreError(
        code,
        `${join(folder, 'data.mdb')} is damaged or not an LMDB database: restore it or use another folder`,
      );
    }
  } finally {
    closeSync(file);
  }
}
