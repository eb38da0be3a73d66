import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** What most modules of test/clients ask for. */
const LEAST = 25;
const ENV = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };

/** Whether to skip tests that need Go 1.`least`. Prints a message if so. Never true in CI. */
export function skipsGo(what: string, least = LEAST): boolean {
  const { stdout } = spawnSync('go', ['version'], { env: ENV, encoding: 'utf8' });
  const skipped = !(Number(/go1\.(\d+)/.exec(stdout ?? '')?.[1]) >= least) && process.env.CI !== 'true';
  if (skipped) console.warn(`${what}: skipped because of missing Go 1.${least} or newer`);
  return skipped;
}

/** Runs the go command in the folder of a module. */
export function go(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  return run('go', args, { cwd, env: { ...ENV, ...env } });
}
