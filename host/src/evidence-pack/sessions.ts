import { join } from 'node:path';
import { isObject } from '@svc/contracts';
import { HashTable, LedgerVerifier, type SessionChains, sessionExtent, sessionKeyIn, sessionReader } from '@svc/ledger';
import { linesOf } from '../served/ledger-lines.ts';
import { FILES } from './files.ts';
import { PackFault } from './pack-fault.ts';
import { signedCheckpoint, type Trust } from './trust.ts';

/** How the line with the signed note begins. No record begins like this. */
const NOTE = Buffer.from('{"checkpoint"');

/**
 * Checks the exports of sessions: each has all the records that its signed note states, and the ones in the pack's ledger.
 * @param ledger the sessions of the verified records
 * @returns the number of sessions
 * @throws {PackFault}
 */
export async function checkSessions(folder: string, ledger: SessionChains, trust: Trust): Promise<number> {
  const exports = new SessionExports(ledger, trust);
  for await (const lines of linesOf(join(folder, FILES.sessions))) for (const line of lines) exports.add(line);
  return exports.end();
}

/** An export of one session, being read. */
interface OpenSession {
  readonly key: string;
  readonly verifier: LedgerVerifier;
  /** Whether it has the last record that the pack's ledger has of this session. */
  isInLedger: boolean;
}

class SessionExports {
  readonly #ledger: SessionChains;
  readonly #trust: Trust;
  readonly #seen = new HashTable('set');
  #open: OpenSession | null = null;

  constructor(ledger: SessionChains, trust: Trust) {
    this.#ledger = ledger;
    this.#trust = trust;
  }

  add(line: Buffer): void {
    const note = noteIn(line);
    if (note !== null) this.#begin(note);
    else this.#addRecord(line);
  }

  #begin(note: string): void {
    this.#close();
    const checkpoint = signedCheckpoint(`a session in ${FILES.sessions}`, note, this.#trust);
    const key = sessionKeyIn(checkpoint);
    if (key === null || sessionExtent(checkpoint.text) === null)
      throw new PackFault(`${FILES.sessions} has a note that does not belong to a session`);
    if (!this.#seen.put(key)) throw new PackFault(`${FILES.sessions} has the session ${key} twice`);
    this.#open = { key, verifier: new LedgerVerifier([checkpoint], [], sessionReader(key)), isInLedger: false };
  }

  #addRecord(line: Buffer): void {
    const open = this.#open;
    if (open === null) throw new PackFault(`${FILES.sessions} does not begin with a signed note`);
    const read = open.verifier.add(line);
    const session = read?.run?.session;
    if (read !== null && session !== undefined)
      open.isInLedger ||= this.#ledger.isHead(open.key, session.number, read.place.hash);
  }

  #close(): void {
    if (this.#open === null) return;
    const { key, verifier, isInLedger } = this.#open;
    const { fault } = verifier.report();
    if (fault !== null) throw new PackFault(`${FILES.sessions}: record ${fault.seq} of the session ${key}: ${fault.why}`);
    if (!isInLedger) throw new PackFault(`${FILES.sessions}: the records of session ${key} differ from those in the ledger`);
  }

  end(): number {
    this.#close();
    const [found, expected] = [this.#seen.size, this.#ledger.size];
    if (found === expected) return found;
    throw new PackFault(`${FILES.sessions} has ${found} sessions, but the records of the pack belong to ${expected}`);
  }
}

function noteIn(line: Buffer): string | null {
  if (!line.subarray(0, NOTE.length).equals(NOTE)) return null;
  const value: unknown = JSON.parse(line.toString());
  return isObject(value) && typeof value.checkpoint === 'string' ? value.checkpoint : null;
}
