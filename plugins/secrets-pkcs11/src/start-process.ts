import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts the process that uses the library of the token. It does not outlive this process, even if the library hangs. */
export function startProcess(): ChildProcess {
  // Libraries print to standard output and standard error, and read settings such as SOFTHSM2_CONF from the environment.
  const child = fork(fileURLToPath(import.meta.resolve('#token')), [], {
    // Without it, SIGUSR1 opens a debugger in the process that has the PIN.
    execArgv: ['--disable-sigusr1'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  const kill = () => killProcess(child);
  process.once('exit', kill);
  for (const event of ['exit', 'error']) child.once(event, () => process.off('exit', kill));
  return child;
}

export function killProcess(child: ChildProcess): void {
  // Without a process, the signal could go to the whole group.
  if (child.pid !== undefined) child.kill('SIGKILL');
}
