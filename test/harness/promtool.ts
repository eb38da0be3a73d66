import { spawnSync } from 'node:child_process';

/** Whether to skip tests that need promtool. Prints a message if so. Never true in CI. */
export function skipsPromtool(what: string): boolean {
  const skipped = spawnSync('promtool', ['--version']).status !== 0 && process.env.CI !== 'true';
  if (skipped) console.warn(`${what}: skipped because of missing promtool, which is in Debian's package prometheus`);
  return skipped;
}

/** Runs promtool in a folder. */
export function promtool(cwd: string, ...args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}
