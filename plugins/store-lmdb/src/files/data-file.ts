import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '@svc/sdk/store';
import { systemCode } from './system-code.ts';

/** `MDB_page_header` and `MDB_meta` of LMDB's version 1 (data version 2), mdb.c: offsets in a page, in bytes. */
const FLAGS_AT = 18;
const MAGIC_AT = 24;
const VERSION_AT = 28;
const PAGE_SIZE_AT = 48;
const TXNID_AT = 152;
const META_BYTES = 160;

const META_FLAG = 8;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** Two pages of the smallest size. */
const SMALLEST = 2 * 4096;
const LARGEST_PAGE = 2 ** 16;

/** The transaction of a meta page, or null if the page is not a meta page of this LMDB. */
function txnidIn(page: Buffer): bigint | null {
  const isMeta = page.readUInt32LE(MAGIC_AT) === MAGIC && page.readUInt16LE(VERSION_AT) === DATA_VERSION;
  return isMeta && (page.readUInt16LE(FLAGS_AT) & META_FLAG) !== 0 ? page.readBigUInt64LE(TXNID_AT) : null;
}

/**
 * LMDB itself looks only at the first meta page. If the second one is overwritten, LMDB silently reads an older state from the first one.
 * Transactions are written to the two in turn, even numbers to the first, so the numbers always differ by 1. In a new file, both are 0.
 */
function looksLikeDatabase(file: number, size: number): boolean {
  if (size < SMALLEST) return false;
  // In one read, because transactions may be written meanwhile.
  const start = Buffer.alloc(LARGEST_PAGE + META_BYTES);
  readSync(file, start, 0, start.length, 0);
  const pageSize = start.readUInt32LE(PAGE_SIZE_AT);
  const [even, odd] = pageSize > LARGEST_PAGE ? [null, null] : [txnidIn(start), txnidIn(start.subarray(pageSize))];
  if (even === null || odd === null) return false;
  return even % 2n === 0n && (even - odd === 1n || odd - even === 1n || even + odd === 0n);
}

/**
 * Refuses a folder whose data file is not a database of this LMDB, or has a meta page that was overwritten. Opening it could crash the process with a
 * segmentation fault, or show an older state.
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
