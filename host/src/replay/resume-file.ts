import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { VERSION } from '@svc/kernel/version';
import { CliError } from '../errors/cli-error.ts';
import type { Period } from './report.ts';
import { Totals } from './totals.ts';

/** What a replay was asked. A replay continues only the same one. */
export interface Asked {
  /** Digest of the configuration. */
  readonly digest: string;
  readonly runs_db: string;
  /** Digest of the first record, which other data in the same place does not have. Null: there are no records. */
  readonly first_record: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly route: string | null;
}

/** How far a replay is. `cursor`: null at its start. */
export interface State {
  readonly period: Period;
  readonly cursor: string | null;
  readonly totals: Totals;
}

/** Keeps the state of a replay in a file, so that another process can continue it. The file has sums, names and ids, no content. */
export class ResumeFile {
  readonly #path: string;
  readonly #asked: string;

  constructor(path: string, asked: Asked) {
    this.#path = path;
    this.#asked = JSON.stringify({ release: VERSION, ...asked });
  }

  /** Null if there is no file. @throws {CliError} if it belongs to another replay */
  async read(): Promise<State | null> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    const written = parsed(text);
    if (written?.asked !== this.#asked)
      throw new CliError(`${this.#path} belongs to a different replay: delete it to start over, or choose another file`);
    const { period, cursor, totals } = written;
    return { period, cursor, totals: Totals.from(totals) };
  }

  /** Replaces the file as a whole. */
  async write({ period, cursor, totals }: State): Promise<void> {
    const beside = `${this.#path}.${randomUUID()}.new`;
    try {
      await writeFile(beside, JSON.stringify({ asked: this.#asked, period, cursor, totals }), { mode: 0o600, flush: true });
      await rename(beside, this.#path);
    } finally {
      await rm(beside, { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** The content of the file, as {@link ResumeFile.write} writes it. */
interface Written extends Omit<State, 'totals'> {
  readonly asked: string;
  readonly totals: object;
}

function parsed(text: string): Written | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
