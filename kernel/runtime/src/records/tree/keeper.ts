import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorName, GENESIS, type Logger, type Store, type StoredRecord, SvcError } from '@svc/contracts';
import {
  type Checkpoint,
  checkpointText,
  consistencyPath,
  entryBundle,
  type Hash,
  inclusionPath,
  isEntry,
  isSameHash,
  leafOf,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  proofText,
  rehash,
  type Signer,
  signNote,
  TILE_WIDTH,
  type TilePlace,
  tileBytes,
  verifierKey,
  widthIn,
} from '@svc/ledger';
import { NotSigned } from './checked-key.ts';
import type { CheckpointPin } from './checkpoint-pin.ts';
import { Tree, TreeOutdated } from './tree.ts';

/** Number of records processed in one turn of the event loop. */
const PAGE = 128;
/** Maximum number of hashes of this process's records that are cached between two checkpoints. Other hashes are read. */
const MAX_WRITTEN = 65_536;
/** Name of the value with the newest checkpoint. */
export const CHECKPOINT = 'ledger/checkpoint';

/** The source of a log's records. */
export interface RecordSource {
  records(query: { readonly since_seq: number; readonly limit: number }): Promise<readonly StoredRecord[]>;
}

export interface TreeKeeperEnv {
  readonly store: Pick<Store, 'recordsBySeq' | 'readMeta' | 'writeMeta'> & RecordSource;
  readonly logger: Logger;
  readonly origin: string;
  /** The keys at first, the newest one first. */
  readonly signers: readonly Signer[];
  /** Remembers the newest checkpoint outside the store. */
  readonly checkpointPin: CheckpointPin | null;
}

/** A checkpoint and its signed note. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
}

/** `path` proves that the second tree begins with the first, RFC 6962, 2.1.2. */
export interface ConsistencyProof {
  readonly from: Checkpoint;
  readonly to: Checkpoint;
  readonly path: readonly Hash[];
}

/** A stored record does not match its hash or its link. No record after it is signed. */
export class AlteredLedger extends Error {
  override readonly name = 'AlteredLedger';
  readonly seq: number;
  constructor(seq: number, origin: string) {
    super(`record ${seq} of ${origin} differs from what was written: run svc ledger verify`);
    this.seq = seq;
  }
}

/**
 * Maintains the tree over the ledger or the operations log, and signs checkpoints. Runs after the commits. This process's own records enter the tree
 * with the hashes that were computed when they were written. So if one is altered in the store later, it does not match the signed tree. Other
 * records are read from the store and hashed again, so that nothing is signed unchecked.
 */
export class TreeKeeper {
  readonly #env: TreeKeeperEnv;
  #tree: Tree | null = null;
  /** Hash of the last record in the tree. */
  #last = GENESIS;
  /** Hashes of records that this process has written: all records from a seq on, without gaps. */
  #written: { readonly from: number; readonly hashes: string[] } = { from: 1, hashes: [] };
  /** Serialises all work on the tree, because it grows only at its right edge. */
  #queue: Promise<unknown> = Promise.resolve();
  #signers: readonly Signer[];
  /** The checkpoint that is being signed, and the one after it, for which callers wait. */
  #signing: Promise<unknown> = Promise.resolve();
  #awaited: Promise<SignedCheckpoint> | null = null;
  /** Aborts the signature in progress. */
  #controller = new AbortController();
  /** Why the last signature failed. Null: it did not. */
  #unsigned: string | null = null;
  /** The note that this process last pinned, and whether the latest attempt to pin one failed. */
  #remembered: string | null = null;
  #pinFailed = false;

  constructor(env: TreeKeeperEnv) {
    this.#env = env;
    this.#signers = env.signers;
  }

  get origin(): string {
    return this.#env.origin;
  }

  /** Uses other keys from the next signature on. */
  useSigners(signers: readonly Signer[]): void {
    this.#signers = signers;
  }

  /** Gives up the signature in progress, so that the last one need not wait for it. */
  giveUp(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }

  /** Signs another text with the keys of this log. @throws {NotSigned} */
  async signed(text: string): Promise<string> {
    const { signal } = this.#controller;
    const note = await signNote(text, this.#signers, signal).catch((error: unknown) => {
      // Whether the key would have signed is not known.
      if (signal.aborted) throw error;
      return this.#notSigned(error);
    });
    if (this.#unsigned !== null) this.#env.logger.info({ event: 'ledger_signed_again', origin: this.#env.origin });
    this.#unsigned = null;
    return note;
  }

  /** A failure is logged once, until its reason changes or a signature is made. */
  #notSigned(error: unknown): never {
    const { logger, origin } = this.#env;
    const reason = error instanceof NotSigned ? error.code : errorName(error);
    if (this.#unsigned !== reason) logger.error({ event: 'ledger_not_signed', origin, reason });
    this.#unsigned = reason;
    throw error;
  }

  /** The public forms of the keys, newest first. */
  get verifierKeys(): readonly string[] {
    return this.#signers.map(verifierKey);
  }

  /** Takes the hashes of records that this process wrote and that are on disk. */
  written(records: readonly { readonly seq: number; readonly hash: string }[]): void {
    for (const { seq, hash } of records) {
      const { from, hashes } = this.#written;
      if (seq === from + hashes.length && hashes.length < MAX_WRITTEN) hashes.push(hash);
      else this.#written = { from: seq, hashes: [hash] };
    }
  }

  /** Removes and returns the cached hashes of the next records, if this process wrote them. */
  #takeWritten(next: number): readonly string[] {
    const { from, hashes } = this.#written;
    if (next < from) return [];
    const taken = hashes.slice(next - from, next - from + PAGE);
    if (next - from + taken.length >= hashes.length) this.#written = { from: from + hashes.length, hashes: [] };
    return taken;
  }

  /**
   * The newest checkpoint, which covers the whole current ledger. Signs a new one if the ledger has grown. Callers that wait share one signature, and
   * nothing else waits for it.
   * @throws {AlteredLedger | NotSigned}
   */
  checkpoint(): Promise<SignedCheckpoint> {
    this.#awaited ??= this.#signing.then(() => {
      this.#awaited = null;
      const checkpoint = this.#signedNow();
      this.#signing = checkpoint.catch(() => undefined);
      return checkpoint;
    });
    return this.#awaited;
  }

  async #signedNow(): Promise<SignedCheckpoint> {
    const newest = await this.#alone(async () => {
      // The order matters: a tree that is read after the checkpoint contains everything that other processes have signed so far.
      const known = await this.newest();
      const tree = await this.#upToDate();
      if (known !== null) await this.#assertGrownFrom(known, tree);
      const isNewest = known !== null && known.size === tree.size && this.#isOurs(known);
      return isNewest ? known : { origin: this.#env.origin, size: tree.size, root: await tree.root() };
    });
    const checkpoint = 'note' in newest ? newest : await this.#sign(newest);
    await this.remember(checkpoint);
    return checkpoint;
  }

  /**
   * A proof file (https://c2sp.org/tlog-proof) that the newest checkpoint covers a record.
   * @throws {SvcError} SVC-REQ-001 if there is no such record
   */
  async inclusion(seq: number): Promise<string> {
    const { note, size } = await this.checkpoint();
    const [record] = await this.#env.store.recordsBySeq([seq]);
    if (record === undefined || seq > size) throw new SvcError('SVC-REQ-001', 'no record has this seq');
    return this.#alone(async () => {
      const tree = await this.#upToDate();
      const path = await Promise.all(inclusionPath(seq - 1, size).map((range) => tree.rangeHash(range)));
      return proofText({ record: record.bytes, index: seq - 1, path, checkpoint: note });
    });
  }

  /** @param to tree size; null: that of the newest checkpoint @throws {SvcError} SVC-REQ-001 for sizes that the ledger never had */
  consistency(from: number, to: number | null): Promise<ConsistencyProof> {
    return this.#alone(async () => {
      const tree = await this.#upToDate();
      const second = to ?? tree.size;
      if (from > second || second > tree.size)
        throw new SvcError('SVC-REQ-001', 'from and to must be sizes of this log, and from must not be larger than to');
      const at = async (size: number): Promise<Checkpoint> => ({ origin: this.#env.origin, size, root: await tree.root(size) });
      const path = await Promise.all(consistencyPath(from, second).map((range) => tree.rangeHash(range)));
      return { from: await at(from), to: await at(second), path };
    });
  }

  /** A tile or a bundle of entries, https://c2sp.org/tlog-tiles. Null if the log has never had it. @throws {AlteredLedger} */
  tile(place: TilePlace): Promise<Uint8Array | null> {
    return this.#alone(async () => {
      const { level, index, width } = place;
      const known = await this.#loaded();
      const tree = widthIn(known.size, level, index) >= width ? known : await this.#upToDate();
      if (widthIn(tree.size, level, index) < width) return null;
      const hashes = (await tree.tile(level === 'entries' ? 0 : level, index)).slice(0, width);
      return level === 'entries' ? entryBundle(await this.#entries(index * TILE_WIDTH, hashes)) : tileBytes(hashes);
    });
  }

  /** The hashes of the records after `since_seq`, compared with their leaves. */
  async #entries(since_seq: number, leaves: readonly Hash[]): Promise<string[]> {
    const stored = await this.#env.store.records({ since_seq, limit: leaves.length });
    return leaves.map((leaf, at) => {
      const seq = since_seq + at + 1;
      const hash = this.#hashIn(stored[at]?.bytes ?? '{}', seq);
      if (!isEntry(hash) || !isSameHash(leafOf(hash), leaf)) throw this.#broken(seq);
      return hash;
    });
  }

  /** Refuses a ledger that is older than the pinned checkpoint or contradicts it. @throws {Error} with the remedy */
  async checkPin(): Promise<void> {
    const remembered = await this.#env.checkpointPin?.read(this.#signers);
    if (remembered === undefined || remembered === null) return;
    const tree = await this.#alone(() => this.#upToDate());
    this.#env.checkpointPin?.assertHolds(remembered, {
      origin: this.#env.origin,
      size: tree.size,
      root: remembered.size <= tree.size ? await tree.root(remembered.size) : null,
    });
  }

  /**
   * Pins a checkpoint. The checkpoint must already be in the store, or a crash could leave the store older than the pin. If the file cannot be
   * written, for example because its disk is full, work continues. The failure is logged once, and the next checkpoint is tried again.
   */
  async remember({ note }: SignedCheckpoint): Promise<void> {
    const { checkpointPin, logger } = this.#env;
    if (checkpointPin === null || this.#remembered === note) return;
    try {
      await checkpointPin.remember(note);
      this.#remembered = note;
      this.#pinFailed = false;
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? error.code : 'unknown';
      if (!this.#pinFailed) logger.error({ event: 'checkpoint_pin_failed', reason: String(reason) });
      this.#pinFailed = true;
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** The tree over all records that exist now. */
  async #upToDate(): Promise<Tree> {
    for (;;) {
      const tree = await this.#loaded();
      try {
        await this.#grow(tree);
        return tree;
      } catch (error) {
        // The cached tree does not match the stored one.
        this.#tree = null;
        if (!(error instanceof TreeOutdated)) throw error;
      }
    }
  }

  async #loaded(): Promise<Tree> {
    if (this.#tree !== null) return this.#tree;
    const tree = await Tree.load(this.#env.store);
    const [last] = tree.size === 0 ? [] : await this.#env.store.recordsBySeq([tree.size]);
    if (last === undefined && tree.size > 0) throw this.#altered(tree.size);
    this.#last = last === undefined ? GENESIS : this.#hashIn(last.bytes, tree.size);
    this.#tree = tree;
    return tree;
  }

  async #grow(tree: Tree): Promise<void> {
    for (;;) {
      const written = this.#takeWritten(tree.size + 1);
      if (written.length > 0) {
        this.#last = written.at(-1) ?? this.#last;
        await tree.append(written.map(leafOf));
        await nextTurn();
        continue;
      }
      const page = await this.#env.store.records({ since_seq: tree.size, limit: PAGE });
      const leaves: Hash[] = [];
      for (const { seq, bytes } of page) {
        const next = tree.size + leaves.length + 1;
        const place = seq === next ? rehash(bytes, seq, this.#last) : null;
        if (place === null) {
          throw this.#broken(next);
        }
        leaves.push(leafOf(place.hash));
        this.#last = place.hash;
      }
      await tree.append(leaves);
      if (page.length < PAGE) return;
      await nextTurn();
    }
  }

  /** The newest signed checkpoint of any process, or null. */
  async newest(): Promise<SignedCheckpoint | null> {
    const note = await this.#env.store.readMeta(CHECKPOINT);
    if (note === null) return null;
    const checkpoint = parseCheckpoint(openNote(note, []).text);
    return { ...checkpoint, note };
  }

  /** Checks that the ledger still contains everything that was signed before. */
  async #assertGrownFrom(known: SignedCheckpoint, tree: Tree): Promise<void> {
    const holds = known.size <= tree.size && isSameHash(await tree.root(known.size), known.root);
    if (holds) return;
    throw this.#broken(Math.min(known.size, tree.size));
  }

  #broken(seq: number): AlteredLedger {
    const { logger, origin } = this.#env;
    logger.error({ event: 'ledger_broken', origin, seq });
    return this.#altered(seq);
  }

  #altered(seq: number): AlteredLedger {
    return new AlteredLedger(seq, this.#env.origin);
  }

  #hashIn(bytes: string, seq: number): string {
    const { hash } = JSON.parse(bytes) as { hash?: unknown };
    if (typeof hash !== 'string') throw this.#altered(seq);
    return hash;
  }

  /** Whether a checkpoint has the current origin and is signed with the newest key. Both may change between starts. */
  #isOurs({ note, origin }: SignedCheckpoint): boolean {
    const newest = this.#signers.slice(0, 1).map((signer) => parseVerifierKey(verifierKey(signer)));
    return origin === this.#env.origin && openNote(note, newest).signedBy.length > 0;
  }

  async #sign(checkpoint: Checkpoint): Promise<SignedCheckpoint> {
    const note = await this.signed(checkpointText(checkpoint));
    for (;;) {
      const before = await this.#env.store.readMeta(CHECKPOINT);
      const known = before === null ? null : parseCheckpoint(openNote(before, []).text);
      if (known !== null && known.size > checkpoint.size) break;
      if (await this.#env.store.writeMeta(CHECKPOINT, before, note)) break;
    }
    return { ...checkpoint, note };
  }
}
