import { readFile, stat } from 'node:fs/promises';

/** Far more than a configuration needs: serving waits while it is parsed. */
const MAX_BYTES = 16_777_216;

/**
 * The content of a file of the configuration.
 * @throws if it is no regular file: a pipe is read until somebody writes to it, and may hold a thread for ever; or if it is too large
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (found.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
  return readFile(path);
}
