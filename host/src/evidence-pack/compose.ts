import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Checkpoint, openNote, parseCheckpoint } from '@svc/ledger';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { LEDGER, OPERATIONS } from '../served/ledger-pages.ts';
import { FILES, FORMAT, type PackInfo } from './files.ts';
import { infoText } from './info.ts';
import { writeInventory } from './inventory.ts';
import type { PackSource } from './pack-source.ts';
import { endOfRun, readPart, timeOfOperation } from './read-part.ts';
import { writeSessions } from './session-exports.ts';

/** Downloads of a checkpoint and its time stamp, if a new one comes in between. */
const TRIES = 5;
const Keys = Type.Object({ verifier_keys: Type.Array(Type.String()) });

export interface Asked {
  readonly from: string;
  readonly to: string;
  readonly release: string;
  /** Further keys of the log, from before a change of the key. */
  readonly keys: readonly string[];
  /** Files. */
  readonly policy: string | undefined;
  readonly roots: string | undefined;
}

/** Writes what a running server returns for a period into a folder. Nothing is verified here. @throws {CliError} */
export class PackComposer {
  readonly #source: PackSource;
  readonly #folder: string;
  readonly #asked: Asked;

  constructor(source: PackSource, folder: string, asked: Asked) {
    this.#source = source;
    this.#folder = folder;
    this.#asked = asked;
  }

  async compose(): Promise<void> {
    const { from, to, release } = this.#asked;
    await this.#trust();
    // Older checkpoints first, because the newest one must cover them.
    const cosigned = await this.#source.textOrNull(`${LEDGER}/checkpoint?cosigned=true`);
    const timestamped = await this.#timestamped();
    const ledger = await this.#checkpoint(LEDGER, FILES.checkpoint);
    const operations = await this.#checkpoint(OPERATIONS, FILES.operationsCheckpoint);
    if (cosigned !== null) await this.#write(FILES.cosigned, cosigned);
    const records = await readPart(this.#source, {
      log: LEDGER,
      size: ledger.size,
      isWhole: false,
      path: await this.#place(FILES.records),
      part: { from, to, timeOf: endOfRun },
    });
    const done = await readPart(this.#source, {
      log: OPERATIONS,
      size: operations.size,
      isWhole: true,
      path: await this.#place(FILES.operations),
      // The run at the end may have a decision by a passkey that was registered after the period.
      part: { from, to: latestOf(to, records.latest), timeOf: timeOfOperation },
    });
    if (records.first > 1) await this.#write(FILES.first, await this.#source.text(`${LEDGER}/proof?seq=${records.first}`));
    const older = [cosigned, timestamped].flatMap((note) => (note === null ? [] : [checkpointIn(note).size]));
    await this.#consistency(LEDGER, FILES.consistency, ledger, [records.last, ...older]);
    await this.#consistency(OPERATIONS, FILES.operationsConsistency, operations, [done.last]);
    await writeInventory(this.#source, this.#folder, records.first);
    await writeSessions(this.#source, this.#folder);
    const info: PackInfo = { format: FORMAT, release, from, to, last_record: records.last, last_operation: done.last };
    await this.#write(FILES.info, infoText(info));
  }

  async #place(name: string): Promise<string> {
    const path = join(this.#folder, name);
    await mkdir(dirname(path), { recursive: true });
    return path;
  }

  async #write(name: string, text: string | Uint8Array): Promise<void> {
    await writeFile(await this.#place(name), text, { flag: 'wx' });
  }

  async #trust(): Promise<void> {
    const served: unknown = JSON.parse(await this.#source.text(`${LEDGER}/keys`));
    if (!Value.Check(Keys, served)) throw new CliError(`${this.#source.server} did not return ledger keys`);
    const keys = new Set([...served.verifier_keys, ...this.#asked.keys]);
    await this.#write(FILES.keys, `${[...keys].join('\n')}\n`);
    const { policy, roots } = this.#asked;
    if (policy !== undefined) await this.#copy(policy, FILES.policy);
    if (roots !== undefined) await this.#copy(roots, FILES.roots);
  }

  async #copy(from: string, name: string): Promise<void> {
    await copyFile(from, await this.#place(name)).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`cannot read ${from} (${error.code ?? 'unknown'})`);
    });
  }

  async #checkpoint(log: string, name: string): Promise<Checkpoint> {
    const note = await this.#source.text(`${log}/checkpoint`);
    await this.#write(name, note);
    return checkpointIn(note);
  }

  /** The checkpoint that has a time stamp. Null: none has. */
  async #timestamped(): Promise<string | null> {
    const read = () => this.#source.textOrNull(`${LEDGER}/checkpoint?timestamped=true`);
    let note = await read();
    for (let tries = 0; note !== null && tries < TRIES; tries += 1) {
      const reply = await this.#source.bytes(`${LEDGER}/timestamp`);
      const after = await read();
      if (after === note) {
        await this.#write(FILES.timestamped, note);
        await this.#write(FILES.timestamp, reply);
        return note;
      }
      note = after;
    }
    if (note !== null)
      throw new CliError(`${this.#source.server} received new time stamps while this command read them; try again`);
    return null;
  }

  /** Proofs that the newest checkpoint begins with these sizes. */
  async #consistency(log: string, name: string, { size }: Checkpoint, sizes: readonly number[]): Promise<void> {
    const earlier = [...new Set(sizes)].filter((one) => one < size).sort((a, b) => a - b);
    const proofs: string[] = [];
    for (const from of earlier) proofs.push(await this.#source.text(`${log}/proof?from=${from}&to=${size}`));
    await this.#write(name, proofs.map((proof) => `${proof.trim()}\n`).join(''));
  }
}

function latestOf(to: string, latest: string | null): string {
  return latest !== null && latest > to ? latest : to;
}

function checkpointIn(note: string): Checkpoint {
  return parseCheckpoint(openNote(note, []).text);
}
