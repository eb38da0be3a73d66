import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@svc/sdk/store';
import type { Damage } from './inspect.ts';

/** Asks the process to look at the pages alone before it looks at what they hold, and what it says where they can be read. */
export const PAGES_FIRST = 'pages-first';
export const READABLE = 'readable\n';

/**
 * Inspects in a child process, so that neither the time it takes nor a crash affects this one.
 * @throws {StoreError} `DAMAGED` if the file made the child crash, `OPEN` if the child did not start or was aborted
 * @param readable is called as soon as all pages are known to be whole: LMDB may read them, while their contents are still checked
 */
export async function inspectInChild(folder: string, signal: AbortSignal, readable?: () => void): Promise<Damage | null> {
  const file = fileURLToPath(import.meta.resolve('#inspect'));
  // Source files are found by this export condition.
  const options = file.endsWith('.ts') ? ['--conditions=@svc/source'] : [];
  const { promise, resolve, reject } = Promise.withResolvers<Damage | null>();
  const args = [...options, file, folder, ...(readable === undefined ? [] : [PAGES_FIRST])];
  const child = execFile(process.execPath, args, { signal, encoding: 'utf8', env: {} }, (error, stdout) => {
    if (error === null) resolve(JSON.parse(stdout.replace(READABLE, '')));
    else if (typeof error.code === 'number' || (error.signal ?? null) !== null)
      reject(
        new StoreError('DAMAGED', `${folder} cannot be read: the reading process was killed by ${error.signal ?? 'an error'}`),
      );
    else reject(new StoreError('OPEN', `${folder} cannot be checked: the checking process could not be started`));
  });
  child.stdout?.once('data', (said: string) => {
    if (said.startsWith(READABLE)) readable?.();
  });
  return promise;
}
