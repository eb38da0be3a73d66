import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckpointPin } from '@svc/runtime/records';
import { takeFolder } from '@svc/toolkit/folder-lock';

/** The last cosigned checkpoint of each log: a file for each origin. One process uses the folder: two could each cosign another fork. */
export class WitnessState {
  readonly #folder: string;
  readonly #release: () => void;

  private constructor(folder: string, release: () => void) {
    this.#folder = folder;
    this.#release = release;
  }

  /** Creates the folder if it is missing, and locks it. @throws {StoreError} `HELD` if another process uses it */
  static async open(folder: string): Promise<WitnessState> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new WitnessState(folder, takeFolder(folder));
  }

  /** The note with the cosignature. Null: none of this log was cosigned. @throws if the file cannot be read */
  async read(origin: string): Promise<string | null> {
    return readFile(this.#fileOf(originHash(origin)), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
  }

  /** Resolves when the note is on disk. */
  write(origin: string, note: string): Promise<void> {
    return new CheckpointPin(this.#fileOf(originHash(origin))).remember(note);
  }

  /** Unlocks the folder. */
  close(): void {
    this.#release();
  }

  #fileOf(hash: string): string {
    return join(this.#folder, `${hash}.checkpoint`);
  }
}

/** The name of a log at the monitoring prefix. */
export function originHash(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
