import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import { syncFolder } from '@svc/toolkit/store';
import { FRAME_HEAD, frameOf, readFrameHead } from './frame.ts';

/** The first frame of a file. */
export interface CollectionHead {
  readonly format: 1;
  readonly collection: string;
  readonly model: string;
  readonly dimensions: number;
}

/** An append-only file of frames. After a crash, an append is either complete or absent. */
export class CollectionFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #size: number;
  /** Set when a failed append could not be undone. Nothing may be appended after it. */
  #broken = false;

  private constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Creates a file with a head and payloads. Replaces an existing file atomically. `take` receives each payload and its offset. */
  static async create(
    path: string,
    head: CollectionHead,
    payloads: Iterable<Buffer> | AsyncIterable<Buffer>,
    take: (payload: Buffer, at: number) => void,
  ): Promise<CollectionFile> {
    const unfinished = `${path}.new`;
    await rm(unfinished, { force: true });
    const handle = await open(unfinished, 'wx+', 0o600);
    try {
      const first = frameOf(Buffer.from(JSON.stringify(head)));
      await handle.writeFile(first);
      let size = first.length;
      for await (const payload of payloads) {
        // Continues where the previous write ended.
        await handle.writeFile(frameOf(payload));
        take(payload, size + FRAME_HEAD);
        size += FRAME_HEAD + payload.length;
      }
      await handle.sync();
      await rename(unfinished, path);
      await syncFolder(dirname(path));
      return new CollectionFile(path, handle, size);
    } catch (error) {
      await handle.close();
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  /**
   * Opens a file and passes each payload and its offset to `take`. Removes an incomplete last append.
   * @throws {StoreError} `OPEN` if the file is damaged elsewhere
   */
  static async open(
    path: string,
    takeHead: (head: CollectionHead) => void,
    take: (payload: Buffer, at: number) => void,
    logger: Logger,
  ): Promise<CollectionFile> {
    const handle = await open(path, 'r+');
    try {
      const { size } = await handle.stat();
      let at = 0;
      for (;;) {
        const payload = await readFrame(handle, at, size, path);
        if (payload === null) break;
        if (at === 0) takeHead(headOf(payload, path));
        else take(payload, at + FRAME_HEAD);
        at += FRAME_HEAD + payload.length;
      }
      if (at === 0) throw damaged(path, 0);
      if (at < size) {
        logger.warn(
          { event: 'vectors_cut', bytes: size - at },
          'the last append was interrupted by a crash and has been removed',
        );
        await handle.truncate(at);
        await handle.sync();
      }
      return new CollectionFile(path, handle, at);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** @returns the offset of the payload, when it is on disk */
  async append(payload: Buffer): Promise<number> {
    if (this.#broken)
      throw new StoreError('STOPPED', 'writing vectors failed, so no more are accepted: check the disk, then restart the server');
    await this.#assertInPlace();
    const frame = frameOf(payload);
    const at = this.#size;
    try {
      for (let done = 0; done < frame.length; )
        done += (await this.#handle.write(frame, done, frame.length - done, at + done)).bytesWritten;
      await this.#handle.datasync();
    } catch (error) {
      this.#broken = true;
      // After a failed sync, the content on disk is unknown, so the server must be restarted. After a full disk, the incomplete write can be removed.
      if (isFull(error)) this.#broken = !(await this.#takeBack(at));
      throw error;
    }
    this.#size = at + frame.length;
    return at + FRAME_HEAD;
  }

  /** Refuses further appends, because the file may have been replaced. */
  stop(): void {
    this.#broken = true;
  }

  async read(at: number, length: number): Promise<Buffer> {
    return readWhole(this.#handle, at, length);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  /** @throws {StoreError} `STOPPED` if the file was removed, replaced or truncated: appended data would be lost at the next start */
  async #assertInPlace(): Promise<void> {
    const [held, there] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => null)]);
    if (there?.ino === held.ino && there.dev === held.dev && held.size >= this.#size) return;
    this.#broken = true;
    throw new StoreError('STOPPED', 'a vector file was removed, replaced or truncated: restore it, then restart the server');
  }

  async #takeBack(size: number): Promise<boolean> {
    try {
      await this.#handle.truncate(size);
      await this.#handle.sync();
      return true;
    } catch {
      return false;
    }
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Null at the end of the complete frames. */
async function readFrame(handle: FileHandle, at: number, size: number, path: string): Promise<Buffer | null> {
  if (size - at < FRAME_HEAD) return null;
  const head = readFrameHead(await readWhole(handle, at, FRAME_HEAD));
  if (head === null) {
    // A file system may extend a file before the data is on disk.
    if (await isZero(handle, at, size)) return null;
    throw damaged(path, at);
  }
  const end = at + FRAME_HEAD + head.length;
  if (end > size) return null;
  const payload = await readWhole(handle, at + FRAME_HEAD, head.length);
  if (crc32(payload) === head.checksum) return payload;
  if (end === size && at > 0) return null;
  throw damaged(path, at);
}

async function readWhole(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, at + done);
    if (bytesRead === 0) throw new StoreError('UNREACHABLE', 'a vector file is truncated');
    done += bytesRead;
  }
  return bytes;
}

async function isZero(handle: FileHandle, from: number, size: number): Promise<boolean> {
  const ROOM = 1 << 20;
  for (let at = from; at < size; at += ROOM) {
    const bytes = await readWhole(handle, at, Math.min(ROOM, size - at));
    if (bytes.some((byte) => byte !== 0)) return false;
  }
  return true;
}

function headOf(payload: Buffer, path: string): CollectionHead {
  const head: Partial<CollectionHead> = JSON.parse(payload.toString());
  const { format, collection, model, dimensions } = head;
  if (format === 1 && collection !== undefined && model !== undefined && dimensions !== undefined)
    return { format, collection, model, dimensions };
  throw new StoreError(
    'SCHEMA',
    `${path} was written by a newer version: start that version, or restore a backup made before the upgrade`,
  );
}

function damaged(path: string, at: number): StoreError {
  return new StoreError(
    'OPEN',
    `${path} is damaged at byte ${at}: restore a backup, or move the file away and index the documents again`,
  );
}
