import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Exporter, ExportRecord } from '@svc/sdk';
import { identitiesOf, replaceFile, syncFolder } from '@svc/toolkit/store';
import { lastLine } from './last-line.ts';

/** The file is not accepted. The message names the file and the remedy. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}

interface Place {
  readonly seq: number;
  readonly hash: string;
}

const checkpointFile = (path: string): string => `${path}.checkpoint`;
const unfinished = (path: string): string => `${path}.new`;

/** Appends records to a file, one per line. Each batch is on disk before it is acknowledged. */
export class JsonlExporter implements Exporter {
  readonly destinations: readonly string[];
  readonly operations: Exporter | undefined;
  readonly #path: string;
  #file: FileHandle | null = null;
  /** The last record of the file; null if it is empty. */
  #last: Place | null = null;

  /** @param operations writes the operations log; absent unless the configuration asks for it */
  constructor(path: string, operations?: Exporter) {
    this.#path = path;
    this.operations = operations;
    const checkpoint = checkpointFile(path);
    this.destinations = [path, checkpoint, unfinished(checkpoint)].flatMap(identitiesOf);
  }

  async open({ cursor }: { cursor: number }): Promise<void> {
    await this.#reopen();
    if (this.#last !== null && this.#last.seq < cursor) {
      await this.close();
      throw this.#refused(`ends with record ${this.#last.seq}, but ${cursor} records were delivered, so it is incomplete`);
    }
  }

  async deliver(records: readonly ExportRecord[], signal: AbortSignal): Promise<{ through: number }> {
    signal.throwIfAborted();
    if (await this.#wasRotated()) await this.#reopen();
    const file = this.#file;
    if (file === null) throw new Error('not open');
    const last = this.#last;
    // These records were written before a crash that came before the cursor moved.
    const known = records.filter(({ seq }) => last !== null && seq <= last.seq);
    const more = records.slice(known.length);
    this.#assertSame(known, more[0]);
    if (more.length > 0) {
      await file.appendFile(`${more.map(({ bytes }) => bytes).join('\n')}\n`);
      await file.datasync();
      this.#last = more.at(-1) ?? last;
    }
    return { through: records.at(-1)?.seq ?? last?.seq ?? 0 };
  }

  /** Writes the newest checkpoint to a file beside the records. */
  async checkpoint(note: string): Promise<void> {
    await replaceFile(checkpointFile(this.#path), note);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Checks that the last line is a record of this ledger. */
  #assertSame(known: readonly ExportRecord[], next: ExportRecord | undefined): void {
    const last = this.#last;
    if (last === null) return;
    const same = known.at(-1);
    // After a crash, the file is at most one batch ahead of the cursor. That batch is delivered again.
    if (next === undefined && same !== undefined && same.seq < last.seq)
      throw this.#refused(`ends with record ${last.seq}, which this ledger does not have yet, so it belongs to another ledger`);
    const isOfThisLedger =
      same?.seq === last.seq
        ? same.hash === last.hash
        : next === undefined || (next.seq === last.seq + 1 && next.bytes.includes(`"prev_hash":"${last.hash}"`));
    if (!isOfThisLedger) throw this.#refused('ends with a record of another ledger');
  }

  async #reopen(): Promise<void> {
    await this.close();
    const file = await open(this.#path, 'a+', 0o600);
    try {
      const { text, end } = await lastLine(file);
      await file.truncate(end);
      this.#last = text === null ? null : this.#placeOf(text);
    } catch (error) {
      // Without this, the open file is garbage-collected, and Node ends the process.
      await file.close();
      throw error;
    }
    this.#file = file;
    // Makes the name of a new file durable as well.
    if (this.#last === null) await syncFolder(dirname(this.#path));
  }

  #placeOf(line: string): Place {
    try {
      const { seq, hash }: { seq?: unknown; hash?: unknown } = JSON.parse(line);
      if (typeof seq === 'number' && typeof hash === 'string') return { seq, hash };
    } catch {}
    throw this.#refused('ends with a line that is not a ledger record');
  }

  /** Whether the file was moved away, for example by log rotation. If it was, a new file is started. */
  async #wasRotated(): Promise<boolean> {
    if (this.#file === null) return false;
    const [ours, there] = await Promise.all([this.#file.stat(), stat(this.#path).catch(() => null)]);
    return there?.ino !== ours.ino || there.dev !== ours.dev;
  }

  #refused(what: string): FileRefused {
    return new FileRefused(`${this.#path} ${what}; move it away or choose another file`);
  }
}
