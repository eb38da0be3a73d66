import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A separate process that runs a file of this folder and reports in lines of JSON. */
export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The lines as they arrive. Ends with the process. */
  readonly messages: AsyncIterableIterator<Record<string, unknown>>;
  /** The exit code, or the name of the signal that ended the process. */
  readonly exit: Promise<number | string | null>;
}

/** @param limit_blocks maximum size of a file that the process may write, in blocks of 512 bytes; needs a POSIX shell */
export function startChild(file: URL, args: readonly string[], limit_blocks?: number): Child {
  // Uses the builds of other packages, which load in a third of the time, because each child loads them again.
  const command = [process.execPath, fileURLToPath(file), ...args];
  const limited = ['sh', '-c', `ulimit -f ${limit_blocks} && exec "$@"`, 'sh', ...command];
  const [executable = '', ...rest] = limit_blocks === undefined ? command : limited;
  const child = spawn(executable, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = new Promise<number | string | null>((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  async function* messages(): AsyncIterableIterator<Record<string, unknown>> {
    // A killed process may leave an incomplete line.
    for await (const line of createInterface({ input: child.stdout })) if (line.endsWith('}')) yield JSON.parse(line);
  }
  return { process: child, pid: child.pid ?? 0, messages: messages(), exit };
}

/** The next line of a child. */
export async function nextMessage(child: Child): Promise<Record<string, unknown>> {
  const { value, done } = await child.messages.next();
  if (done) throw new Error('the child process ended without an answer');
  return value;
}

/** Called in the child: sends a message to the parent. */
export function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
