import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@svc/sdk';
import type { Damage } from './inspect.ts';

/**
 * Inspects in a child process, so that neither the time it takes nor a crash affects this one.
 * @throws {StoreError} `DAMAGED` if the file made the child crash, `OPEN` if the child did not start or was aborted
 */
export async function inspectInChild(folder: string, signal: AbortSignal): Promise<Damage | null> {
  const file = fileURLToPath(import.meta.resolve('#inspect'));
  // Source files are found by this export condition.
  const options = file.endsWith('.ts') ? ['--conditions=@svc/source'] : [];
  const { promise, resolve, reject } = Promise.withResolvers<Damage | null>();
  execFile(process.execPath, [...options, file, folder], { signal, encoding: 'utf8', env: {} }, (error, stdout) => {
    if (error === null) resolve(JSON.parse(stdout));
    else if (typeof error.code === 'number' || (error.signal ?? null) !== null)
      reject(
        new StoreError('DAMAGED', `${folder} cannot be read: the reading process was killed by ${error.signal ?? 'an error'}`),
      );
    else reject(new StoreError('OPEN', `${folder} cannot be checked: the checking process could not be started`));
  });
  return promise;
}
