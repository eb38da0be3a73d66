import { GENESIS, type SessionPlace } from '@svc/contracts';
import { sha256 } from './canonical.ts';

/** The fields of a run's evidence that give its position in its session. */
export interface SessionRecord {
  readonly principal_id: string;
  readonly session?: SessionPlace | undefined;
}

/** Identifies a session: `sha256:` and 64 hex characters. If two principals use the same id, these are two sessions. */
export function sessionKey(principal_id: string, id: string): string {
  // The space is unambiguous, because an id contains none.
  return sha256(`${id} ${principal_id}`);
}

/** Checks, in a log that has all records of its sessions, that each session's records are numbered and linked without gaps. */
export class SessionChains {
  readonly #heads = new Map<string, { readonly number: number; readonly hash: string }>();

  /** Adds a record by its hash, if it belongs to a session. @returns false if it does not follow the previous record of its session */
  add({ principal_id, session }: SessionRecord, hash: string): boolean {
    if (session === undefined) return true;
    const key = sessionKey(principal_id, session.id);
    const { number, hash: before } = this.#heads.get(key) ?? { number: 0, hash: GENESIS };
    if (session.number !== number + 1 || session.prev_hash !== before) return false;
    this.#heads.set(key, { number: session.number, hash });
    return true;
  }

  get size(): number {
    return this.#heads.size;
  }

  /** Whether this is the last record of a session. */
  isHead(key: string, number: number, hash: string): boolean {
    const head = this.#heads.get(key);
    return head?.number === number && head.hash === hash;
  }
}
