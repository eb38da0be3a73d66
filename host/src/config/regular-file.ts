import { readFile, stat } from 'node:fs/promises';

/** Far more than a configuration needs. While the file is parsed, no request is served. */
const MAX_BYTES = 16_777_216;

/**
 * Reads a file of the configuration.
 * @throws if the file is too large or not a regular file; reading a pipe could block a thread forever
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const found = await stat(path);
  if (!found.isFile()) throw new Error('it is not a regular file');
  if (found.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
  return readFile(path);
}
