import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CheckpointPin } from '@svc/runtime/records';

/** The last cosigned checkpoint of each log: a file for each origin. */
export class WitnessState {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<WitnessState> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new WitnessState(folder);
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

  #fileOf(hash: string): string {
    return join(this.#folder, `${hash}.checkpoint`);
  }
}

/** The name of a log at the monitoring prefix. */
export function originHash(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
