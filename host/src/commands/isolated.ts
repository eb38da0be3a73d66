import { fork } from 'node:child_process';
import { constants } from 'node:os';

/** Marks the child process. */
const IN_CHILD = 'SVC_ISOLATED';
/** Signals with which the system or LMDB ends a process that reads a damaged file. */
const DAMAGE: ReadonlySet<string> = new Set(['SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP']);

/** How a process ended after it read something damaged. */
export interface Death {
  readonly signal: string;
  /** Number of records that it had verified. */
  readonly records: number;
}

/** Reports the number of verified records to the parent, in case this process dies. */
export function sayRecords(records: number): void {
  process.send?.(records);
}

/**
 * Runs a command of this program in a child process, because the data that it reads may crash the process. In that case, calls `died`.
 * @param work the command itself, called in the child
 */
export async function isolated(work: () => Promise<void>, died: (death: Death) => void): Promise<void> {
  const [, file = '', ...args] = process.argv;
  if (process.env[IN_CHILD] !== undefined) return work();
  const child = fork(file, args, { env: { ...process.env, [IN_CHILD]: '1' }, stdio: 'inherit' });
  let records = 0;
  child.on('message', (said) => {
    if (typeof said === 'number') records = said;
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', forward).on('SIGINT', forward);
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.Signals | null>();
  child.once('error', reject).once('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    resolve(signal);
  });
  const signal = await promise;
  process.off('SIGTERM', forward).off('SIGINT', forward);
  if (signal === null) return;
  if (DAMAGE.has(signal)) died({ signal, records });
  else process.exitCode = 128 + constants.signals[signal];
}
