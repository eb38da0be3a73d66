import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Checkpoint,
  isOfOperations,
  isSameHash,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  type Signer,
  verifierKey,
} from '@svc/ledger';

/**
 * What a pinned checkpoint must match. `keys`: one of the signing keys must have signed it, for their origin. `records`: the ledger must contain its
 * records; a lost key or a new origin then needs no further steps. Anyone who can write this file can also delete it.
 */
type PinCheck = 'keys' | 'records';

/** Keeps the newest checkpoint in a file outside the ledger, to detect that an older copy or another ledger replaced the ledger. */
export class CheckpointPin {
  readonly path: string;
  readonly #by: PinCheck;

  constructor(path: string, by: PinCheck = 'keys') {
    this.path = path;
    this.#by = by;
  }

  /** The pin for the operations log of the same ledger, in a file beside this one. */
  ofOperations(): CheckpointPin {
    return new CheckpointPin(`${this.path}.operations`, this.#by);
  }

  async exists(): Promise<boolean> {
    return (await this.#text()) !== null;
  }

  /** The pinned checkpoint. Null if there is none yet. @throws if it cannot be read, or none of the keys signed it */
  async read(signers: readonly Signer[]): Promise<Checkpoint | null> {
    const note = await this.#text();
    if (note === null) return null;
    const keys = this.#by === 'keys' ? signers.map((signer) => parseVerifierKey(verifierKey(signer))) : [];
    try {
      const { text, signedBy } = openNote(note, keys);
      if (this.#by === 'records' || signedBy.length > 0) return parseCheckpoint(text);
    } catch (cause) {
      throw new Error(`ledger.pinned_checkpoint_file ${this.path} does not contain a checkpoint: restore the original file`, {
        cause,
      });
    }
    throw new Error(
      `ledger.pinned_checkpoint_file ${this.path} is not signed by any of ledger.signing_keys: restore the key or the file`,
    );
  }

  async #text(): Promise<string | null> {
    return readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new Error(`cannot read ledger.pinned_checkpoint_file ${this.path} (${error.code ?? 'unknown'})`);
    });
  }

  /** @throws with the remedy, if the file cannot be written */
  async assertWritable(): Promise<void> {
    try {
      await this.#write('', async () => undefined);
    } catch (cause) {
      const remedy =
        'give this user write access, choose another path, or disable it with ledger: { pinned_checkpoint_file: false }';
      throw new Error(`cannot write ledger.pinned_checkpoint_file ${this.path}: ${remedy}`, { cause });
    }
  }

  /** Replaces the pinned checkpoint unless that is newer. Atomic, and on disk when it resolves. */
  async remember(note: string): Promise<void> {
    const before = await readFile(this.path, 'utf8').catch(() => null);
    if (before === note || (before !== null && sizeOf(before) > sizeOf(note))) return;
    await this.#write(note, (beside) => rename(beside, this.path));
    const folder = await open(dirname(this.path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /** Writes a temporary file beside the pin, and calls `use` with its name when it is on disk. Removes it afterwards. */
  async #write(text: string, use: (beside: string) => Promise<void>): Promise<void> {
    // Several processes of one machine may write at the same time.
    const beside = `${this.path}.${process.pid}.new`;
    try {
      const file = await open(beside, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await use(beside);
    } finally {
      await rm(beside, { force: true }).catch(() => undefined);
    }
  }

  /**
   * @param ledger the ledger's current head, with the `root` over as many records as the pin covers, or null if it has fewer
   * @throws with the remedy
   */
  assertHolds(remembered: Checkpoint, ledger: Omit<Checkpoint, 'root'> & { readonly root: Checkpoint['root'] | null }): void {
    const files = isOfOperations(ledger)
      ? this.path
      : `${this.path} (and ${this.ofOperations().path}, if the operations log is older too)`;
    const remedy = `restore the newest backup of the ledger. If this ledger is the right one, move ${files} away and keep it as evidence for auditors`;
    if (this.#by === 'keys' && ledger.origin !== remembered.origin)
      throw new Error(
        `the ledger is "${ledger.origin}", but ledger.pinned_checkpoint_file is for "${remembered.origin}": ${remedy}`,
      );
    if (ledger.root === null) {
      throw new Error(
        `an older copy of ${ledger.origin} was restored: it has ${ledger.size} records, but ledger.pinned_checkpoint_file has ${remembered.size}. To continue, ${remedy}`,
      );
    }
    if (!isSameHash(ledger.root, remembered.root))
      throw new Error(
        `${ledger.origin} differs from ledger.pinned_checkpoint_file within the first ${remembered.size} records: ${remedy}`,
      );
  }
}

function sizeOf(note: string): number {
  return parseCheckpoint(openNote(note, []).text).size;
}
