import { NO_INSPECTOR } from '../process/no-inspector.ts';

/** Requests to Node's thread pool: a thread that waits for a file or a name server cannot be ended, and Node waits for it at its exit. */
const POOL_REQUEST = /^(FS|GetAddrInfo|GetNameInfo)/;

/**
 * Ends the process, whatever still hangs. `process.exit` waits for threads: one that opens a pipe nobody reads would keep it for ever.
 * Where that may be, the process becomes another program, which does nothing but end: the system ends its threads.
 * @param left whether a part of the process did not end
 */
export function endProcess(code: number, left: boolean): never {
  const hangs = left || process.getActiveResourcesInfo().some((kind) => POOL_REQUEST.test(kind));
  if (hangs && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, NO_INSPECTOR, '--eval', `process.exitCode = ${code}`], {});
  process.exit(code);
}
