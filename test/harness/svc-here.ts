import { vi } from 'vitest';
import { COMMANDS } from '../../host/src/commands/commands.ts';
import { CliError } from '../../host/src/errors/cli-error.ts';
import { systemRefusal } from '../../host/src/errors/system-refusal.ts';

/** How a command ended, and what it wrote. */
export interface SvcEnded {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SvcPlace {
  /** Default: the folder of the test process. */
  readonly cwd?: string;
  /** Added to the environment of the test process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The folder, the environment, the umask and the exit code belong to the whole process, so one command runs at a time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `svc` in the test process, from source, which saves the start of a process. Not for commands that serve or read stdin, for a
 * runs-db that a gateway of the same process has open, or for data whose reading may crash the process.
 */
export function svcHere(args: readonly string[], place: SvcPlace = {}): Promise<SvcEnded> {
  const ended = last.then(() => ran(args, place));
  last = ended.catch(() => undefined);
  return ended;
}

async function ran([name = '', ...args]: readonly string[], { cwd, env = {} }: SvcPlace): Promise<SvcEnded> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) throw new Error(`no command ${name}`);
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode, umask: process.umask() };
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  process.exitCode = undefined;
  if (cwd !== undefined) process.chdir(cwd);
  setEnv(env);
  try {
    await (await load())([...args]);
    return { status: Number(process.exitCode ?? 0), stdout: stdout.text(), stderr: stderr.text() };
  } catch (error) {
    // As main.ts does. A bug fails the test with its own stack.
    const said = error instanceof CliError ? error.message : systemRefusal(error);
    if (said === null) throw error;
    const status = error instanceof CliError ? error.exit_code : 1;
    return { status, stdout: stdout.text(), stderr: `${stderr.text()}svc: ${said}\n` };
  } finally {
    stdout.restore();
    stderr.restore();
    process.exitCode = before.exitCode;
    process.umask(before.umask);
    process.chdir(before.cwd);
    setEnv(Object.fromEntries(Object.keys(env).map((variable) => [variable, before.env[variable]])));
  }
}

function setEnv(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** Collects what is written to a stream, instead of writing it. */
function captured(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const pieces: Buffer[] = [];
  const write = vi.spyOn(stream, 'write').mockImplementation((piece: string | Uint8Array, ...more: unknown[]) => {
    pieces.push(Buffer.from(piece as string));
    const written = more.find((one) => typeof one === 'function');
    if (written !== undefined) queueMicrotask(() => written(null));
    return true;
  });
  return { text: () => Buffer.concat(pieces).toString(), restore: () => write.mockRestore() };
}
