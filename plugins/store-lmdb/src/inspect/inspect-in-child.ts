import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type SeqRange, StoreError } from '@svc/sdk/store';
import type { Damage } from './inspect.ts';

export interface FoundDamage extends Damage {
  /** The file ends before its last page. */
  readonly is_short: boolean;
}

/** `edges`: the first and last entries of each database. `readable first`: everything twice, and what it contains only the second time. */
export type Task = 'edges' | 'all' | 'readable first' | 'records forward' | 'records backward';

/** What the child reports, a line of JSON each. It may die at any time. */
export interface Said {
  /** The database that it reads next. */
  readonly at?: string;
  /** The last record that it has verified. */
  readonly seq?: number;
  readonly is_short?: boolean;
  readonly readable?: true;
  readonly damage?: Damage | null;
}

/** Stands for the seq of the ledger's last record if that cannot be read: then the number of records is unknown. */
export const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/**
 * Inspects a folder in a child process: what LMDB reads from a damaged page may end a process. Null: undamaged.
 * @param readable is called as soon as everything could be read: its contents are still checked then
 * @throws {StoreError} `OPEN` if the child did not start or was aborted
 */
export async function inspectInChild(
  folder: string,
  task: 'edges' | 'all' | 'readable first',
  signal: AbortSignal,
  readable?: () => void,
): Promise<FoundDamage | null> {
  const { at = 'data.mdb', is_short = false, damage } = await run(folder, task, signal, readable);
  if (damage === null) return null;
  const found = damage ?? { databases: [at], unreadable: [at], seqs: null };
  const seqs = found.unreadable.includes('ledger') ? await unreadableSeqs(folder, signal) : found.seqs;
  return { ...found, seqs, is_short };
}

/** From the first record that cannot be read to the last. Null: not found again. */
async function unreadableSeqs(folder: string, signal: AbortSignal): Promise<SeqRange | null> {
  const [{ seq: before = 0 }, { seq: after = LAST_SEQ + 1 }] = await Promise.all([
    run(folder, 'records forward', signal),
    run(folder, 'records backward', signal),
  ]);
  return before + 1 < after ? { from: before + 1, through: after - 1 } : null;
}

/** The last that it said of each kind, and nothing of what it had not said when it died. */
async function run(folder: string, task: Task, signal: AbortSignal, readable?: () => void): Promise<Said> {
  const file = fileURLToPath(import.meta.resolve('#inspect'));
  // Source files are found by this export condition.
  const options = file.endsWith('.ts') ? ['--conditions=@svc/source'] : [];
  const child = spawn(process.execPath, [...options, file, folder, task], {
    signal,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close').catch((cause: unknown) => {
    throw new StoreError('OPEN', `${folder} cannot be checked: the checking process could not be started`, { cause });
  });
  let all: Said = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = saidIn(line);
    if (said.readable === true) readable?.();
    all = { ...all, ...said };
  });
  await closed;
  return all;
}

/** Nothing in a last line that was cut because the child died. */
function saidIn(line: string): Said {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return {};
  }
}
