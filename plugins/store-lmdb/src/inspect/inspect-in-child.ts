import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type SeqRange, StoreError } from '@svc/sdk/store';

/** The damage of a folder. */
export interface FoundDamage {
  /** `data.mdb` for the file itself, `main` for LMDB's list of databases, otherwise the name of a database. */
  readonly databases: readonly string[];
  /** Those that LMDB cannot read safely; the others can be read, but differ from what was written. */
  readonly unreadable: readonly string[];
  /** The range of damaged records. Null: no record is damaged, or it is not known which. `LAST_SEQ`: up to the end. */
  readonly seqs: SeqRange | null;
  /** The file ends before its last page. */
  readonly is_short: boolean;
}

/** `edges`: the first and last entries of each database. `readable first`: everything twice; only the second pass checks the contents. */
export type Task = 'edges' | 'all' | 'readable first' | 'records forward' | 'records backward';

/** Values that can be read but differ from what was written. */
export interface Altered {
  readonly databases: readonly string[];
  /** The range of damaged records, if `databases` has `ledger`. */
  readonly seqs: SeqRange | null;
}

/** What the child reports, a line of JSON each. It ends without `altered` if it cannot read something. */
export interface Said {
  /** The database that it reads next. */
  readonly at?: string;
  /** The last record that it has verified. */
  readonly seq?: number;
  readonly is_short?: boolean;
  readonly readable?: true;
  readonly altered?: Altered;
}

/** The seq to use for the ledger's last record if that record cannot be read, because the number of records is then unknown. */
export const LAST_SEQ = Number.MAX_SAFE_INTEGER;

/** Signals of operators and of a system without memory. A damaged page ends a child by another one (SIGSEGV, SIGBUS, SIGABRT) or by an exit code. */
const FROM_OUTSIDE: ReadonlySet<unknown> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGXCPU']);

/** Without these nothing else can be read. */
const WHOLE_FILE: ReadonlySet<string> = new Set(['data.mdb', 'main']);

/**
 * Inspects a folder in a child process, because reading a damaged page through LMDB may crash a process or overwrite its memory. A child ends at the
 * first database that it cannot read, and another child inspects the rest. Null: undamaged.
 * @param readable called as soon as everything could be read; the contents are still being checked then
 * @throws {StoreError} `OPEN` if the child did not start, was aborted, or was killed by another process or the system
 */
export async function inspectInChild(
  folder: string,
  task: 'edges' | 'all' | 'readable first',
  signal: AbortSignal,
  readable?: () => void,
): Promise<FoundDamage | null> {
  const unreadable = new Set<string>();
  for (;;) {
    const { at = 'data.mdb', is_short = false, altered } = await run(folder, [task, ...unreadable], signal, readable);
    if (altered === undefined) unreadable.add(at);
    const databases = [...new Set([...unreadable, ...(altered?.databases ?? [])])].sort();
    if (databases.length === 0) return null;
    if (altered === undefined && !WHOLE_FILE.has(at)) continue;
    const seqs = unreadable.has('ledger') ? await unreadableSeqs(folder, signal) : (altered?.seqs ?? null);
    return { databases, unreadable: [...unreadable].sort(), seqs, is_short };
  }
}

/** The range from the first unreadable record to the last. Null if a second search finds none. */
async function unreadableSeqs(folder: string, signal: AbortSignal): Promise<SeqRange | null> {
  const [{ seq: before = 0 }, { seq: after = LAST_SEQ + 1 }] = await Promise.all([
    run(folder, ['records forward'], signal),
    run(folder, ['records backward'], signal),
  ]);
  return before + 1 < after ? { from: before + 1, through: after - 1 } : null;
}

/** The child's last report of each kind. */
async function run(
  folder: string,
  [task, ...without]: readonly [Task, ...string[]],
  signal: AbortSignal,
  readable?: () => void,
): Promise<Said> {
  const file = fileURLToPath(import.meta.resolve('#inspect'));
  const child = spawn(process.execPath, [file, folder, task, ...without], {
    signal,
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed: Promise<unknown[]> = once(child, 'close').catch((cause: unknown) => {
    throw new StoreError('OPEN', `${folder} cannot be checked: the checking process could not be started`, { cause });
  });
  let all: Said = {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = saidIn(line);
    if (said.readable === true) readable?.();
    all = { ...all, ...said };
  });
  const [, ended_by] = await closed;
  if (FROM_OUTSIDE.has(ended_by)) {
    const reason = `the checking process was ended by ${ended_by}`;
    throw new StoreError(
      'OPEN',
      `${folder} was not checked: ${reason}. Try again. If it fails again, the machine may have too little memory`,
    );
  }
  return all;
}

/** Empty for a last line that was cut off because the child died. */
function saidIn(line: string): Said {
  try {
    return JSON.parse(line) as Said;
  } catch {
    return {};
  }
}
