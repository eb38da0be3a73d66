import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PYTHON = process.env.SVC_PYTHON ?? 'python3';

/**
 * Builds the wheel of the Python client in a virtual environment of its own.
 * @param epoch the time of its files, in seconds since 1970, so that two builds of a commit are equal
 * @returns its file name in `destination`
 * @throws {Error} without Python and its module venv, or if pip cannot download the build tool
 */
export async function buildWheel(root: string, destination: string, epoch: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-wheel-'));
  try {
    await run(PYTHON, ['-m', 'venv', join(folder, 'venv')]);
    const pip = [
      'wheel',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--wheel-dir',
      destination,
      join(root, 'sdk', 'python'),
    ];
    await run(join(folder, 'venv', 'bin', 'pip'), pip, { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const wheel = (await readdir(destination)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip made no wheel');
  return wheel;
}
