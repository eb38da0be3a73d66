import { setImmediate as nextTurn } from 'node:timers/promises';
import { NO_INSPECTOR } from '../process/no-inspector.ts';

/** Matches requests in Node's thread pool. A thread that waits for a file or a name server cannot be ended, and Node waits for it on exit. */
const POOL_REQUEST = /^(FS|GetAddrInfo|GetNameInfo)/;

/**
 * Ends the process, even if part of it hangs. `process.exit` waits for threads, and a thread that opens a pipe without a reader would block it
 * forever. In that case, the process executes another program that only exits, and the system ends the threads.
 * @param left whether some part of the process did not end
 */
export async function endProcess(code: number, left: boolean): Promise<never> {
  // A request whose callback led here, such as the last write of the log, is active until that callback returns.
  if (!left) await nextTurn();
  const hangs = left || process.getActiveResourcesInfo().some((kind) => POOL_REQUEST.test(kind));
  if (hangs && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, NO_INSPECTOR, '--eval', `process.exitCode = ${code}`], {});
  process.exit(code);
}
