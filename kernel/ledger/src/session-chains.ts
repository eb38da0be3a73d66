import { GENESIS, type SessionPlace } from '@svc/contracts';
import { sha256 } from './canonical.ts';
import { HashTable } from './hash-table.ts';

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

/**
 * Checks that each session's records are numbered and linked without gaps, in a log that has all records of its sessions, or in a part of it without gaps.
 * Its memory grows with the sessions, 43 to 85 bytes each, not with their records.
 */
export class SessionChains {
  /** The last record of each session, by its key. */
  readonly #heads = new HashTable('map');
  readonly #isPart: boolean;

  /** @param isPart whether earlier records of the sessions may be missing: the first record of a session then may have any number */
  constructor(isPart = false) {
    this.#isPart = isPart;
  }

  /** Adds a record by its hash, if it belongs to a session. @returns false if it does not follow the previous record of its session */
  add({ principal_id, session }: SessionRecord, hash: string): boolean {
    if (session === undefined) return true;
    const key = sessionKey(principal_id, session.id);
    const { number, prev_hash } = session;
    const isNext =
      number === 1
        ? prev_hash === GENESIS && !this.#heads.has(key)
        : this.isHead(key, number - 1, prev_hash) || (this.#isPart && !this.#heads.has(key));
    if (isNext) this.#heads.put(key, headOf(number, hash));
    return isNext;
  }

  get size(): number {
    return this.#heads.size;
  }

  /** Whether this is the last record of a session. */
  isHead(key: string, number: number, hash: string): boolean {
    return this.#heads.maps(key, headOf(number, hash));
  }
}

function headOf(number: number, hash: string): string {
  return `${number} ${hash}`;
}
