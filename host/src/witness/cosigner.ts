import {
  type AddCheckpoint,
  type Checkpoint,
  cosign,
  EMPTY_ROOT,
  isSameHash,
  MalformedNote,
  type OpenedNote,
  openNote,
  parseAddCheckpoint,
  parseCheckpoint,
  parseNote,
  provesConsistency,
  type Signer,
  signatureLine,
  type Verifier,
  withSignatures,
} from '@svc/ledger';
import type { WitnessState } from './witness-state.ts';

/** The answer to a request `add-checkpoint`. */
export interface Answer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: 'text/plain; charset=utf-8' | 'text/x.tlog.size';
  readonly text: string;
}

const PLAIN = 'text/plain; charset=utf-8';

/**
 * Cosigns checkpoints of known logs that extend the last one, https://c2sp.org/tlog-witness. It never signs two checkpoints of which one does not
 * extend the other, also after a crash: the new checkpoint is on disk before the cosignature is given.
 */
export class Cosigner {
  readonly #signer: Signer;
  readonly #logs: readonly Verifier[];
  readonly #state: WitnessState;
  readonly #now_s: () => number;
  /** Serialises the work of each log: what is compared must still be the last one when it is replaced. */
  readonly #queues = new Map<string, Promise<unknown>>();

  /** @param logs the keys of the known logs; the name of a key is the origin of its log */
  constructor(signer: Signer, logs: readonly Verifier[], state: WitnessState, now_s = () => Math.floor(Date.now() / 1000)) {
    this.#signer = signer;
    this.#logs = logs;
    this.#state = state;
    this.#now_s = now_s;
  }

  /** @throws if the state cannot be read or written */
  async add(body: string): Promise<Answer> {
    let asked: AddCheckpoint;
    let checkpoint: Checkpoint;
    try {
      asked = parseAddCheckpoint(body);
      checkpoint = parseCheckpoint(openNote(asked.checkpoint, []).text);
    } catch (error) {
      return refused(400, reasonOf(error));
    }
    const keys = this.#logs.filter(({ name }) => name === checkpoint.origin);
    if (keys.length === 0) return refused(404, 'this witness does not know the log');
    let opened: OpenedNote;
    try {
      opened = openNote(asked.checkpoint, keys);
    } catch (error) {
      return refused(403, reasonOf(error));
    }
    if (opened.signedBy.length === 0) return refused(403, 'the log did not sign the checkpoint');
    if (asked.old > checkpoint.size) return refused(400, 'the old size is larger than the checkpoint');
    return this.#alone(checkpoint.origin, () => this.#extend(asked, checkpoint, opened));
  }

  async #extend({ old, path, checkpoint: note }: AddCheckpoint, next: Checkpoint, opened: OpenedNote): Promise<Answer> {
    const before = await this.#state.read(next.origin);
    const last = before === null ? { size: 0, root: EMPTY_ROOT } : parseCheckpoint(openNote(before, []).text);
    if (old !== last.size) return { status: 409, type: 'text/x.tlog.size', text: `${last.size}\n` };
    if (next.size === 0 && !isSameHash(next.root, EMPTY_ROOT))
      return refused(422, `the root of the empty log ${next.origin} is wrong`);
    // The empty tree is a prefix of every tree, and needs no proof.
    const isExtended = last.size === 0 && next.size > 0 ? path.length === 0 : provesConsistency(last, next, path);
    if (!isExtended) return refused(422, `the checkpoint does not extend the last one of ${next.origin}`);
    const line = await cosign(opened.text, this.#signer, this.#now_s());
    await this.#state.write(next.origin, withSignatures(signedByLog(note, opened), [line]));
    return { status: 200, type: PLAIN, text: line };
  }

  #alone<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#queues.get(origin) ?? Promise.resolve()).then(work);
    this.#queues.set(
      origin,
      result.catch(() => undefined),
    );
    return result;
  }
}

/** The note with the verified signatures of the log only. */
function signedByLog(note: string, { text, signedBy }: OpenedNote): string {
  const lines = parseNote(note).signatures.flatMap(({ name, id, bytes }) =>
    signedBy.some((key) => key.name === name && key.id.toString('hex') === id) ? [signatureLine(name, id, bytes)] : [],
  );
  return `${text}\n${lines.join('')}`;
}

function refused(status: Answer['status'], text: string): Answer {
  return { status, type: PLAIN, text: `${text}\n` };
}

function reasonOf(error: unknown): string {
  if (error instanceof MalformedNote) return error.message;
  throw error;
}
