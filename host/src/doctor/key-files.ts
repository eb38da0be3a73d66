import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exposure } from '../key-storage/private-file.ts';
import { type Finding, ok, problem } from './finding.ts';

/**
 * Modes of key files and their folders, and whether this user can read them. A file that does not exist is created by the gateway or not needed.
 * @param written a file that the gateway creates or changes. Null: there is none, because the configuration has all keys and names the checkpoint file
 */
export async function checkKeyFiles(files: readonly string[], written: string | null): Promise<Finding[]> {
  const found: string[] = [];
  const findings: Finding[] = [];
  for (const file of files) {
    if ((await stat(file).catch(() => null)) === null) continue;
    found.push(file);
    const wrong = await exposure(file);
    const [message = '', remedy = ''] = wrong?.split(': run ') ?? [];
    if (wrong !== null) findings.push(problem('key files', message, `run ${remedy}`));
    else if (!(await may(file, constants.R_OK)))
      findings.push(
        problem(
          'key files',
          `this user cannot read ${file}`,
          'run as the user that runs the server, or change the owner of the file',
        ),
      );
  }
  if (written !== null && !(await may(dirname(written), constants.W_OK)))
    findings.push(
      problem(
        'key files',
        `this user cannot write to ${dirname(written)}, where keys and checkpoints are kept`,
        'create the folder, run as the user that runs the server, or set store.content_key_file',
      ),
    );
  if (findings.length > 0) return findings;
  return [
    ok(
      'key files',
      found.length === 0
        ? written === null
          ? 'not needed: the keys are in the configuration'
          : 'do not exist yet: the first start creates them'
        : `readable only by their owner or group (${found.length})`,
    ),
  ];
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
