import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Checkpoint, hashFromText, provesConsistency } from '@svc/ledger';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { PackFault } from './pack-fault.ts';

const Head = Type.Object({ size: Type.Integer({ minimum: 0 }), root: Type.String() });
/** As the gateway sends it. */
const Proof = Type.Object({ from: Head, to: Head, path: Type.Array(Type.String()) });

/** The beginnings of a log that are proven to be in its newest checkpoint. */
export class ProvenSizes {
  readonly #newest: Checkpoint;
  readonly #proven: Map<number, Checkpoint>;

  private constructor(newest: Checkpoint, proven: Map<number, Checkpoint>) {
    this.#newest = newest;
    this.#proven = proven;
  }

  /** @param file consistency proofs up to the newest checkpoint, one a line @throws {PackFault} unless each of them is valid */
  static async read(name: string, file: string, newest: Checkpoint): Promise<ProvenSizes> {
    const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '') : [];
    const proven = new Map([[newest.size, newest]]);
    for (const line of lines) {
      const proof: unknown = JSON.parse(line);
      if (!Value.Check(Proof, proof)) throw new PackFault(`${name} is not a list of consistency proofs`);
      const from = { size: proof.from.size, root: hashFromText(proof.from.root) };
      if (proof.to.size !== newest.size || !provesConsistency(from, newest, proof.path.map(hashFromText)))
        throw new PackFault(`${name} does not prove that the newest checkpoint continues the first ${from.size} records`);
      proven.set(from.size, { origin: newest.origin, ...from });
    }
    return new ProvenSizes(newest, proven);
  }

  /** The tree of the first `size` records. @throws {PackFault} if it is not proven */
  at(size: number): Checkpoint {
    const found = this.#proven.get(size);
    if (found === undefined)
      throw new PackFault(`no proof connects the first ${size} records to the newest checkpoint of ${this.#newest.origin}`);
    return found;
  }
}
