import { GENESIS, type SessionPlace } from '@svc/contracts';
import { sha256 } from './canonical.ts';

/** The evidence of a run, as far as it says where it is in its session. */
export interface SessionRecord {
  readonly principal_id: string;
  readonly session?: SessionPlace | undefined;
}

/** Identifies a session: the same id of two principals is two sessions. `sha256:` and 64 hex characters. */
export function sessionKey(principal_id: string, id: string): string {
  // An id has no space.
  return sha256(`${id} ${principal_id}`);
}

/** Checks that the records of each session are numbered and linked without gaps, in a log that has all of them. */
export class SessionChains {
  readonly #heads = new Map<string, { readonly number: number; readonly hash: string }>();

  /** Adds the record with this hash, if it is of a session. @returns false if it does not follow the previous one of its session */
  add({ principal_id, session }: SessionRecord, hash: string): boolean {
    if (session === undefined) return true;
    const key = sessionKey(principal_id, session.id);
    const { number, hash: before } = this.#heads.get(key) ?? { number: 0, hash: GENESIS };
    if (session.number !== number + 1 || session.prev_hash !== before) return false;
    this.#heads.set(key, { number: session.number, hash });
    return true;
  }

  /** How many sessions there are. */
  get size(): number {
    return this.#heads.size;
  }

  /** Whether this is the last record of a session. */
  isHead(key: string, number: number, hash: string): boolean {
    const head = this.#heads.get(key);
    return head?.number === number && head.hash === hash;
  }
}
