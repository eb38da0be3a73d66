import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SvcError } from '@svc/contracts';
import { KeyNodes } from '@svc/runtime/content';
import { changeSecretFile, secretFolder } from './secret-file.ts';

/** Returns the new content of a part from the current one (null: the part does not exist). It never covers more than the current one. */
export type PartChange = (found: KeyNodes | null) => KeyNodes;

/** The parts of a key after an erasure, by name: three hexadecimal digits. */
export interface KeyParts {
  /** Null if the part does not exist. @throws {SvcError} SVC-STORE-001 if it cannot be read */
  read(name: string): KeyNodes | null;
  /** Resolves when the part is on disk, if it is stored there. */
  change(name: string, change: PartChange): Promise<void>;
  names(): Promise<ReadonlySet<string>>;
}

/** The parts of a temporary key, in memory. */
export class PartsInMemory implements KeyParts {
  readonly #parts = new Map<string, KeyNodes>();

  read(name: string): KeyNodes | null {
    return this.#parts.get(name) ?? null;
  }

  async change(name: string, change: PartChange): Promise<void> {
    this.#parts.set(name, change(this.read(name)));
  }

  async names(): Promise<ReadonlySet<string>> {
    return new Set(this.#parts.keys());
  }
}

export function partsFolder(key_file: string): string {
  return `${key_file}.parts`;
}

/** The parts in `<key file>.parts`, one file each: a line with the key's id, the part's name and a digest, then the part's nodes. */
export class PartsInFolder implements KeyParts {
  readonly #key_file: string;
  readonly #id: string;
  /** Folders that this process created or found. */
  readonly #ensured = new Set<string>();

  constructor(key_file: string, id: string) {
    this.#key_file = key_file;
    this.#id = id;
  }

  read(name: string): KeyNodes | null {
    try {
      return this.#parse(name, readFileSync(this.#fileOf(name)));
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
      throw new SvcError('SVC-STORE-001', 'a part of the content key cannot be read', { cause });
    }
  }

  async change(name: string, change: PartChange): Promise<void> {
    // Small folders, because each change lists the folder of its file.
    for (const folder of [this.#folder, this.#folderOf(name)]) await this.#ensure(folder);
    await changeSecretFile(
      this.#fileOf(name),
      (found) => {
        const before = found === null ? null : this.#parse(name, found);
        const after = change(before);
        return after === before ? null : this.#bytes(name, after);
      },
      this.#key_file,
    );
  }

  async names(): Promise<ReadonlySet<string>> {
    const files = await readdir(this.#folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return new Set(files.flatMap((file) => /^([0-9a-f])[\\/](\1[0-9a-f]{2})$/.exec(file)?.[2] ?? []));
  }

  async #ensure(folder: string): Promise<void> {
    if (this.#ensured.has(folder)) return;
    await secretFolder(folder, this.#key_file);
    this.#ensured.add(folder);
  }

  get #folder(): string {
    return partsFolder(this.#key_file);
  }

  #folderOf(name: string): string {
    return join(this.#folder, name.slice(0, 1));
  }

  #fileOf(name: string): string {
    return join(this.#folderOf(name), name);
  }

  #bytes(name: string, { bytes }: KeyNodes): Buffer {
    return Buffer.concat([Buffer.from(this.#head(name, bytes)), bytes]);
  }

  #parse(name: string, file: Buffer): KeyNodes {
    const bytes = file.subarray(file.indexOf('\n') + 1);
    const head = file.subarray(0, file.length - bytes.length).toString();
    if (head === this.#head(name, bytes)) return KeyNodes.read(bytes);
    throw new Error(`${this.#fileOf(name)} does not belong to this content key: restore the original file`);
  }

  #head(name: string, bytes: Buffer): string {
    return `svc content key part 1 ${this.#id} ${name} ${createHash('sha256').update(bytes).digest('hex')}\n`;
  }
}
