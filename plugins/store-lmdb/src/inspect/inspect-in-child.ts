import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@svc/sdk';
import type { Damage } from './inspect.ts';

/**
 * Inspects in a process of its own, so that neither the time nor what the file does to whoever reads it is felt here.
 * @throws {StoreError} `DAMAGED` where that process was ended by it, `OPEN` where it did not begin or was aborted
 */
export async function inspectInChild(folder: string, signal: AbortSignal): Promise<Damage | null> {
  const file = fileURLToPath(import.meta.resolve('#inspect'));
  // Sources need the condition by which they are found.
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
