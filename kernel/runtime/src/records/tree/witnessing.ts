import type { Clock, Logger, Store } from '@svc/contracts';
import type { Observer } from '@svc/kernel/observing';
import {
  addCheckpointText,
  type Cosignature,
  cosignaturesIn,
  MalformedNote,
  type Verifier,
  type WitnessPolicy,
  withSignatures,
} from '@svc/ledger';
import { reasonOf } from '../retry/delivery-failure.ts';
import { Retries } from '../retry/retries.ts';
import { Rounds } from '../retry/rounds.ts';
import type { SignedCheckpoint, TreeKeeper } from './keeper.ts';
import { changeMeta, isOf, sizeOf, textOf } from './kept-note.ts';

/** A witness, https://c2sp.org/tlog-witness. */
export interface Witness {
  readonly verifier: Verifier;
  /** Posts a request `add-checkpoint`. @throws if there was no response */
  addCheckpoint(body: string, signal: AbortSignal): Promise<{ readonly status: number; readonly text: string }>;
}

export interface WitnessOptions {
  readonly witnesses: readonly Witness[];
  /** Which of them are enough. */
  readonly policy: WitnessPolicy;
}

/** How far a witness has come. */
export interface WitnessProgress {
  readonly name: string;
  /** Size of the largest checkpoint that it has cosigned. 0: none. */
  readonly cosigned_size: number;
}

interface WitnessingEnv {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly tree: Pick<TreeKeeper, 'consistency' | 'origin'>;
}

/** The stored result, which every process reads. */
interface Kept {
  /** The newest checkpoint that has a cosignature, with all that it has. */
  readonly newest: string | null;
  /** The newest checkpoint whose cosignatures are enough. */
  readonly quorum: string | null;
  /** Size of the largest cosigned checkpoint, by witness. */
  readonly sizes: Readonly<Record<string, number>>;
}

const KEPT = 'ledger/cosigned';
const NOTHING: Kept = { newest: null, quorum: null, sizes: {} };
/** A witness of another size answers with it once. */
const MAX_TRIES = 2;

/** The witness did not cosign. `code` is logged and is a label of metrics. */
class NotCosigned extends Error {
  override readonly name = 'NotCosigned';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** What this process knows about a witness. */
interface Known {
  /** The size that it cosigned last, as far as is known. */
  old: number;
  readonly retries: Retries;
}

/**
 * Asks witnesses to cosign checkpoints. All of them are asked for the same checkpoint at once, so that a quorum is reached. Nothing waits for them:
 * a witness that fails is logged, and asked again later. Only the process that signs asks.
 */
export class Witnessing {
  readonly #env: WitnessingEnv;
  readonly #options: WitnessOptions;
  readonly #known = new Map<Witness, Known>();
  readonly #rounds: Rounds;

  constructor(env: WitnessingEnv, options: WitnessOptions) {
    this.#env = env;
    this.#options = options;
    this.#rounds = new Rounds({ event: 'witnessing_failed', logger: env.logger });
    for (const witness of options.witnesses) this.#known.set(witness, { old: 0, retries: new Retries(env.clock) });
  }

  /** Starts a round for this checkpoint, unless one is under way. Does not wait for it. */
  offer(checkpoint: SignedCheckpoint): void {
    if (checkpoint.size > 0) this.#rounds.start(() => this.#ask(checkpoint));
  }

  /** Adds the cosignatures that a checkpoint has. */
  async cosigned(checkpoint: SignedCheckpoint): Promise<string> {
    const { newest } = await this.#kept();
    return newest !== null && textOf(newest) === textOf(checkpoint.note)
      ? withSignatures(
          checkpoint.note,
          this.#cosignatures(newest).map(({ line }) => line),
        )
      : checkpoint.note;
  }

  /** The newest checkpoint with enough cosignatures. Null: there is none yet. */
  async quorum(): Promise<string | null> {
    return (await this.#kept()).quorum;
  }

  async progress(): Promise<readonly WitnessProgress[]> {
    const { sizes } = await this.#kept();
    return this.#options.witnesses.map(({ verifier: { name } }) => ({ name, cosigned_size: sizes[name] ?? 0 }));
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #ask(checkpoint: SignedCheckpoint): Promise<void> {
    const { newest } = await this.#kept();
    const isSame = newest !== null && textOf(newest) === textOf(checkpoint.note);
    const already = isSame ? this.#cosignatures(newest) : [];
    const due = this.#options.witnesses.filter(
      (witness) => !already.some((cosignature) => cosignature.witness === witness.verifier) && this.#of(witness).retries.isDue,
    );
    const found = await Promise.all(due.map((witness) => this.#try(witness, checkpoint)));
    const added = found.filter((cosignature) => cosignature !== null);
    if (added.length > 0) await this.#keep(checkpoint, [...already, ...added]);
  }

  /** Null after a failure, which is reported. */
  async #try(witness: Witness, checkpoint: SignedCheckpoint): Promise<Cosignature | null> {
    const { observer, logger } = this.#env;
    const { name } = witness.verifier;
    const known = this.#of(witness);
    try {
      const cosignature = await this.#cosignatureOf(witness, checkpoint);
      known.old = checkpoint.size;
      known.retries.succeeded();
      observer.cosigned(name, checkpoint.size);
      return cosignature;
    } catch (error) {
      if (this.#rounds.isClosed) return null;
      const reason = reasonOf(error);
      const retry = known.retries.failed();
      observer.witnessFailed(name, reason);
      logger.warn({ event: 'witness_failed', witness: name, reason, ...retry });
      return null;
    }
  }

  async #cosignatureOf(witness: Witness, { note, size }: SignedCheckpoint): Promise<Cosignature> {
    const known = this.#of(witness);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (known.old > size) {
        // It may have been wrong. The next request asks it again.
        known.old = 0;
        throw new NotCosigned('WITNESS_AHEAD');
      }
      const { path } = await this.#env.tree.consistency(known.old, size);
      const body = addCheckpointText({ old: known.old, path, checkpoint: note });
      const { status, text } = await this.#rounds.request((signal) => witness.addCheckpoint(body, signal));
      if (status === 200) return this.#valid(witness, note, text);
      const old = /^(0|[1-9][0-9]{0,15})\n$/.exec(text)?.[1];
      if (status !== 409 || old === undefined) throw new NotCosigned(`HTTP_${status}`);
      known.old = Number(old);
    }
    throw new NotCosigned('HTTP_409');
  }

  /** @throws {NotCosigned} unless the lines contain a valid cosignature of this witness */
  #valid({ verifier }: Witness, note: string, lines: string): Cosignature {
    try {
      const cosigned = `${note.slice(0, note.lastIndexOf('\n\n') + 2)}${lines}`;
      const [found] = cosignaturesIn(cosigned, [verifier]);
      // An empty line would make the lines before it part of the text.
      if (found !== undefined && textOf(cosigned) === textOf(note)) return found;
    } catch (error) {
      if (!(error instanceof MalformedNote)) throw error;
    }
    throw new NotCosigned('INVALID_COSIGNATURE');
  }

  async #keep({ note, size }: SignedCheckpoint, cosignatures: readonly Cosignature[]): Promise<void> {
    const cosigned = withSignatures(
      note,
      cosignatures.map(({ line }) => line),
    );
    const isQuorum = this.#options.policy.isQuorum(this.#policyKeys(cosignatures));
    await changeMeta(this.#env.store, KEPT, (before): Kept => {
      const kept = this.#parsed(before);
      const sizes = cosignatures.map(({ witness }) => [witness.name, Math.max(size, kept.sizes[witness.name] ?? 0)] as const);
      return {
        newest: sizeOf(kept.newest) > size ? kept.newest : cosigned,
        quorum: isQuorum && sizeOf(kept.quorum) <= size ? cosigned : kept.quorum,
        sizes: { ...kept.sizes, ...Object.fromEntries(sizes) },
      };
    });
  }

  /** The keys of the policy that have cosigned. */
  #policyKeys(cosignatures: readonly Cosignature[]): Set<Verifier> {
    const keys = this.#options.policy.witnesses.map(({ verifier }) => verifier);
    return new Set(keys.filter(({ key }) => cosignatures.some(({ witness }) => witness.key.equals(key))));
  }

  #cosignatures(note: string): readonly Cosignature[] {
    return cosignaturesIn(
      note,
      this.#options.witnesses.map(({ verifier }) => verifier),
    );
  }

  #of(witness: Witness): Known {
    const known = this.#known.get(witness);
    if (known === undefined) throw new Error('not a witness of this log');
    return known;
  }

  async #kept(): Promise<Kept> {
    return this.#parsed(await this.#env.store.readMeta(KEPT));
  }

  /** Nothing for a value of a former origin of the ledger. */
  #parsed(text: string | null): Kept {
    const kept: Kept = text === null ? NOTHING : JSON.parse(text);
    return kept.newest === null || isOf(this.#env.tree.origin, kept.newest) ? kept : NOTHING;
  }
}
