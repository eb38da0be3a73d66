import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exposure } from '../key-storage/private-file.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Modes of key files and their folders, and whether this user can read them. A file that does not exist is created by the gateway or not needed. */
export async function checkKeyFiles(files: readonly string[], created_in: string): Promise<Finding[]> {
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
        problem('key files', `this user cannot read ${file}`, 'run as the user of the server, or change the owner of the file'),
      );
  }
  if (!(await may(dirname(created_in), constants.W_OK)))
    findings.push(
      problem(
        'key files',
        `this user cannot write to ${dirname(created_in)}, where keys and checkpoints are kept`,
        'create the folder, or run as the user of the server, or set store.content_key_file',
      ),
    );
  if (findings.length > 0) return findings;
  return [
    ok(
      'key files',
      found.length === 0
        ? 'there is none yet: the first start creates them'
        : `${found.length} can be read only by their owner or group`,
    ),
  ];
}

function may(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
