import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Checkpoint, openNote, parseCheckpoint, parseVerifierKey, type Signer, verifierKey } from '../../proof/index.ts';

/**
 * The newest checkpoint in a file of its own, on another volume than the ledger: where the ledger is set back to an old copy, or exchanged
 * for another, it is not what this file remembers.
 */
export class GuardFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null: there is none yet. @throws where it cannot be read, or one of the keys did not sign it */
  async read(signers: readonly Signer[]): Promise<Checkpoint | null> {
    const note = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new Error(`ledger.guard_file ${this.#path} cannot be read (${error.code ?? 'unknown'})`);
    });
    if (note === null) return null;
    const { text, signedBy } = openNote(
      note,
      signers.map((signer) => parseVerifierKey(verifierKey(signer))),
    );
    if (signedBy.length === 0) throw new Error(`ledger.guard_file ${this.#path} is signed by none of ledger.signing_keys`);
    return parseCheckpoint(text);
  }

  /** Replaces what was remembered unless that is newer, all or nothing, and is on disk when it resolves. */
  async remember(note: string): Promise<void> {
    const before = await readFile(this.#path, 'utf8').catch(() => null);
    if (before !== null && sizeOf(before) > sizeOf(note)) return;
    // Several processes of one machine may remember at once.
    const beside = `${this.#path}.${process.pid}.new`;
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(note);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, this.#path);
    const folder = await open(dirname(this.#path), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  /**
   * @param ledger its head now; `root` that of as many records as are remembered, null where there are fewer
   * @throws with the remedy
   */
  assertHolds(remembered: Checkpoint, ledger: Omit<Checkpoint, 'root'> & { readonly root: Checkpoint['root'] | null }): void {
    const remedy = `bring back the newest copy of the ledger, or, if this one is right, remove ${this.#path}: auditors will ask why`;
    if (ledger.origin !== remembered.origin)
      throw new Error(`the ledger is "${ledger.origin}", ledger.guard_file remembers "${remembered.origin}": ${remedy}`);
    if (ledger.root === null) {
      throw new Error(
        `the ledger ends at ${ledger.size}, ledger.guard_file remembers ${remembered.size} records: an older copy was restored; ${remedy}`,
      );
    }
    if (!ledger.root.equals(remembered.root))
      throw new Error(`the ledger is not the one that ledger.guard_file remembers at ${remembered.size} records: ${remedy}`);
  }
}

function sizeOf(note: string): number {
  return parseCheckpoint(openNote(note, []).text).size;
}
