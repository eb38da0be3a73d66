import { SvcError } from '@svc/contracts';
import type { TilePlace } from '@svc/ledger';
import { NotSigned } from '../records/tree/checked-key.ts';
import { AlteredLedger, type ConsistencyProof, type SignedCheckpoint, type TreeKeeper } from '../records/tree/keeper.ts';
import type { StampedCheckpoint, Timestamping } from '../records/tree/timestamping.ts';
import type { Witnessing, WitnessProgress } from '../records/tree/witnessing.ts';

/** A checkpoint is tried again every ten seconds. */
const RETRY_S = 10;

/** The origin of a log, and the C2SP signed-note verifier keys of its checkpoints. */
export interface LedgerKeys {
  readonly origin: string;
  readonly verifier_keys: readonly string[];
}

interface ProofParts {
  readonly tree: TreeKeeper;
  readonly witnessing: Witnessing | null;
  readonly timestamping: Timestamping | null;
}

/** The signed proofs of a log. */
export class Proofs {
  readonly #tree: TreeKeeper;
  readonly #witnessing: Witnessing | null;
  readonly #timestamping: Timestamping | null;

  constructor({ tree, witnessing, timestamping }: ProofParts) {
    this.#tree = tree;
    this.#witnessing = witnessing;
    this.#timestamping = timestamping;
  }

  /** The public forms of the keys that sign checkpoints, newest first, and the origin. */
  get keys(): LedgerKeys {
    const { origin, verifierKeys } = this.#tree;
    return { origin, verifier_keys: verifierKeys };
  }

  /** Returns another text as a C2SP note, signed with the same keys. @throws {SvcError} SVC-STORE-001 if a key does not sign now */
  signed(text: string): Promise<string> {
    return this.#whole((tree) => tree.signed(text));
  }

  /** The newest signed tree head, with the cosignatures that it has so far, as a C2SP note. @throws {SvcError} SVC-STORE-001 if the log was altered, or cannot be signed now */
  checkpoint(): Promise<SignedCheckpoint> {
    return this.#whole(async (tree) => {
      const newest = await tree.checkpoint();
      return { ...newest, note: (await this.#witnessing?.cosigned(newest)) ?? newest.note };
    });
  }

  /** The newest checkpoint with the cosignatures that the policy requires, as a C2SP note. Null: there is none. */
  async cosigned(): Promise<string | null> {
    return (await this.#witnessing?.quorum()) ?? null;
  }

  /** How far each witness has come. */
  async witnesses(): Promise<readonly WitnessProgress[]> {
    return (await this.#witnessing?.progress()) ?? [];
  }

  /** Whether checkpoints of this log get time stamps. */
  get hasTimestamps(): boolean {
    return this.#timestamping !== null;
  }

  /** The newest checkpoint that has a time stamp. Null: there is none. */
  async stamped(): Promise<StampedCheckpoint | null> {
    return (await this.#timestamping?.newest()) ?? null;
  }

  /** A C2SP proof file. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  inclusion(seq: number): Promise<string> {
    return this.#whole((tree) => tree.inclusion(seq));
  }

  /** @param to tree size; null: that of the newest checkpoint @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  consistency(from: number, to: number | null): Promise<ConsistencyProof> {
    return this.#whole((tree) => tree.consistency(from, to));
  }

  /** A tile or a bundle of entries. Null if the log has never had it. @throws {SvcError} SVC-STORE-001 */
  tile(place: TilePlace): Promise<Uint8Array | null> {
    return this.#whole((tree) => tree.tile(place));
  }

  async #whole<T>(ask: (tree: TreeKeeper) => Promise<T>): Promise<T> {
    try {
      return await ask(this.#tree);
    } catch (error) {
      if (error instanceof NotSigned)
        throw new SvcError('SVC-STORE-001', 'the ledger cannot be signed now; try again later', {
          retry_after_s: RETRY_S,
          cause: error,
        });
      if (!(error instanceof AlteredLedger)) throw error;
      throw new SvcError('SVC-STORE-001', error.message, { cause: error });
    }
  }
}
