import { createHmac } from 'node:crypto';
import { type Approver, type Clock, type Store, SvcError } from '@svc/contracts';
import { decrypt, encrypt } from '../content/cipher.ts';
import type { ContentKeys } from '../content/key-tree.ts';
import { type Pausing, pauseKey } from './pause-key.ts';
import type { Person } from './person.ts';

/** The leaf of the content key from which the secrets below are derived. No run has this id. */
const LEAF = 'earlier decisions';
/**
 * Maximum number of decisions in one value of the store. There are 256 such values. If there are more decisions, the oldest are dropped, and a person
 * is asked again.
 */
const MAX_KEPT = 100;
/** Each failed write means that another process has written. */
const MAX_TRIES = 50;

/** A decision on a run, and the payload that it applies to. `reason`: why the run was denied. */
export interface MadeDecision extends Approver {
  readonly run_id: string;
  readonly digest: string;
  readonly reason?: string;
  /** The other people involved: earlier approvers, and those on whose behalf somebody decided. */
  readonly others?: readonly Person[];
}

interface Kept extends MadeDecision {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface DecisionsEnv {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly content_keys: Pick<ContentKeys, 'newest'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long a decision applies to repeats of its request. 0: never. */
  readonly reuse_for_ms: number;
}

/**
 * Recent decisions by the {@link pauseKey} of their request. A denial applies until its time is over, and an approval to one further request. The
 * decisions are stored, so they survive a restart. An approval is removed by compare-and-set before it is used, so only one process gets it. The
 * values are encrypted: write access to the store is not enough to forge a decision.
 */
export class EarlierDecisions {
  readonly #env: DecisionsEnv;
  #secrets: { readonly hashing: Buffer; readonly sealing: Buffer } | null = null;

  constructor(env: DecisionsEnv) {
    this.#env = env;
  }

  /** The key of a pause. All pauses that ask the same question have the same key. */
  keyOf(pausing: Pausing): string {
    return pauseKey(this.#secret.hashing, pausing);
  }

  /** Takes the decision that applies to a key. This uses up an approval. @param counts whether a decision by this person still counts */
  async take(key: string, counts: (person: Person) => boolean): Promise<MadeDecision | null> {
    if (this.#env.reuse_for_ms === 0) return null;
    let taken: Kept | undefined;
    await this.#change(key, (kept) => {
      taken = kept.find((one) => one.key === key && isCounted(one, counts));
      return taken?.decision === 'approved' ? kept.filter((one) => one !== taken) : kept;
    });
    if (taken === undefined) return null;
    const { key: _, until: __, ...decision } = taken;
    return decision;
  }

  /** Whether {@link take} would find a decision. Does not use it up. */
  async holds(key: string, counts: (person: Person) => boolean): Promise<boolean> {
    const { reuse_for_ms, store, clock } = this.#env;
    if (reuse_for_ms === 0) return false;
    const name = nameOf(key);
    const now = clock.now();
    const kept = this.#opened(name, await store.readMeta(name));
    return kept.some((one) => one.key === key && one.until > now && isCounted(one, counts));
  }

  /** Stores a decision that is on disk already. It replaces an earlier, different decision for the same key. */
  async keep(key: string, decision: MadeDecision): Promise<void> {
    const { reuse_for_ms, clock } = this.#env;
    if (reuse_for_ms === 0) return;
    const newest = { ...decision, key, until: clock.now() + reuse_for_ms };
    const isReplaced = (one: Kept): boolean => one.key === key && (decision.decision === 'denied' || one.decision === 'denied');
    await this.#change(key, (kept) => [...kept.filter((one) => !isReplaced(one)), newest].slice(-MAX_KEPT));
  }

  /** Drops the decisions for these keys. */
  async forget(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#change(key, (kept) => kept.filter((one) => one.key !== key));
  }

  /** Writes nothing if `change` returns the same decisions. @throws {SvcError} SVC-STORE-001 if other processes were faster each time */
  async #change(key: string, change: (kept: readonly Kept[]) => readonly Kept[]): Promise<void> {
    const { store, clock } = this.#env;
    const name = nameOf(key);
    for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
      const text = await store.readMeta(name);
      const now = clock.now();
      const kept = this.#opened(name, text).filter(({ until }) => until > now);
      const next = change(kept);
      const isSame = next === kept || (next.length === kept.length && next.every((one) => kept.includes(one)));
      if (isSame || (await store.writeMeta(name, text, this.#sealed(name, next)))) return;
    }
    throw new SvcError('SVC-STORE-001', 'other processes are changing the decisions on repeated requests; try again');
  }

  #sealed(name: string, kept: readonly Kept[]): string {
    return encrypt(this.#secret.sealing, name, Buffer.from(JSON.stringify(kept))).toString('base64');
  }

  /** Empty if another content key encrypted the value. */
  #opened(name: string, text: string | null): readonly Kept[] {
    const bytes = text === null ? null : decrypt(this.#secret.sealing, name, Buffer.from(text, 'base64'));
    return bytes === null ? [] : (JSON.parse(bytes.toString()) as Kept[]);
  }

  get #secret(): { readonly hashing: Buffer; readonly sealing: Buffer } {
    if (this.#secrets === null) {
      const leaf = this.#env.content_keys.newest.keyFor(LEAF);
      if (leaf === null)
        throw new TypeError('the content key lacks the secret for earlier decisions: restore the complete content key');
      const derived = (purpose: string): Buffer => createHmac('sha256', leaf).update(purpose).digest();
      this.#secrets = { hashing: derived('hashing'), sealing: derived('sealing') };
    }
    return this.#secrets;
  }
}

/** Whether decisions by all people involved still count. */
function isCounted({ others = [], ...decider }: Kept, counts: (person: Person) => boolean): boolean {
  return [decider, ...others].every(counts);
}

/** The name of the value that holds the decisions for a key. */
function nameOf(key: string): string {
  return `decisions/${key.slice(0, 2)}`;
}
