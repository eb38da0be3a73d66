import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StoreError } from '@svc/sdk/store';
import { makeFolder, replaceFile } from '@svc/toolkit/store';
import type { Turns } from '@svc/toolkit/work';
import { hashOf } from './hash.ts';

/** Words with the same hash share a counter. English has some ten thousand common words. */
const PLACES = 1 << 16;
const BYTES = (1 + PLACES) * 4;
const MAGIC = 'svcwc001';

/** The document frequency of each word, so that rare words of a question weigh more. Kept in one file, which is replaced as a whole. */
export class WordCounts {
  readonly #folder: string | null;
  /** The number of documents, then one counter per hash. */
  #counts = new Uint32Array(1 + PLACES);
  #writing: Promise<void> = Promise.resolve();

  private constructor(folder: string | null) {
    this.#folder = folder;
  }

  /** @param folder where the counts are stored; null: nothing is counted, so all words weigh the same */
  static async open(folder: string | null): Promise<WordCounts> {
    const counts = new WordCounts(folder);
    if (folder !== null) {
      makeFolder(folder);
      counts.#counts = await read(fileIn(folder));
    }
    return counts;
  }

  /** Smoothed inverse document frequency: 1 for a word that is in every document. */
  idf(word: string): number {
    const documents = this.#counts[0] ?? 0;
    const having = Math.min(documents, this.#counts[placeOf(word)] ?? 0);
    return 1 + Math.log((1 + documents) / (1 + having));
  }

  /** Counts the words of documents. Resolves when the counts are on disk. */
  async add(documents: readonly ReadonlyMap<string, number>[], turns: Turns): Promise<void> {
    const folder = this.#folder;
    if (folder === null) return;
    for (const words of documents) {
      this.#bump(0);
      const places = new Set<number>();
      for (const word of words.keys()) {
        if (turns.isOver) await turns.next();
        places.add(placeOf(word));
      }
      for (const place of places) this.#bump(place);
    }
    const written = this.#writing.then(() => write(folder, this.#counts));
    this.#writing = written.catch(() => undefined);
    await written;
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  #bump(place: number): void {
    this.#counts[place] = Math.min(2 ** 32 - 1, (this.#counts[place] ?? 0) + 1);
  }
}

function placeOf(word: string): number {
  return 1 + (hashOf(`i ${word}`) % PLACES);
}

function fileIn(folder: string): string {
  return join(folder, 'word-counts');
}

async function read(path: string): Promise<Uint32Array<ArrayBuffer>> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StoreError('UNREACHABLE', `cannot read ${path} (${error.code ?? 'unknown'})`, { cause: error });
  });
  const counts = new Uint32Array(1 + PLACES);
  if (bytes === null) return counts;
  const body = bytes.subarray(MAGIC.length, MAGIC.length + BYTES);
  const whole = bytes.length === MAGIC.length + BYTES + 4 && bytes.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (!whole || bytes.readUInt32LE(MAGIC.length + BYTES) !== crc32(body)) {
    const remedy = 'restore a backup, or remove the file: without it, all words have equal weight until documents are indexed';
    throw new StoreError('OPEN', `${path} is damaged: ${remedy}`);
  }
  return counts.map((_, i) => body.readUInt32LE(i * 4));
}

/** Writes a new file and renames it. After a crash, the file is therefore either the old or the new one. */
async function write(folder: string, counts: Uint32Array): Promise<void> {
  const body = Buffer.alloc(BYTES);
  for (const [i, count] of counts.entries()) body.writeUInt32LE(count, i * 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(body));
  try {
    await replaceFile(fileIn(folder), Buffer.concat([Buffer.from(MAGIC), body, checksum]));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const kind = code === 'ENOSPC' ? 'FULL' : 'UNREACHABLE';
    throw new StoreError(kind, `cannot write the word counts (${code ?? 'unknown'})`, { cause: error });
  }
}
