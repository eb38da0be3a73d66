import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const BLOCK = 512;
const NAME_BYTES = 100;
/** Sizes from this on do not fit into eleven octal digits. */
const OCTAL_LIMIT = 8 ** 11;

/**
 * Writes files as a .tar.gz (POSIX ustar), in the given order, with fixed times, owners and modes, so that the same files give the same archive. Fails if
 * the archive exists. If writing fails, no archive is left.
 * @param prefix a folder in the archive
 */
export async function writeTar(archive: string, folder: string, names: readonly string[], prefix: string): Promise<void> {
  const file = await open(archive, 'wx', 0o600);
  try {
    await pipeline(Readable.from(tarOf(folder, names, prefix)), createGzip(), file.createWriteStream());
  } catch (error) {
    // An incomplete archive must not be mistaken for a pack.
    await rm(archive, { force: true });
    throw error;
  }
}

async function* tarOf(folder: string, names: readonly string[], prefix: string): AsyncGenerator<Uint8Array> {
  for (const name of names) {
    const file = join(folder, name);
    const { size } = await stat(file);
    yield header(`${prefix}/${name}`, size);
    yield* createReadStream(file);
    yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_BYTES) throw new RangeError(`the name ${name} is too long for the archive`);
  bytes.write(name, 0);
  bytes.write('0000644\0', 100);
  bytes.write('0000000\0', 108);
  bytes.write('0000000\0', 116);
  writeSize(bytes, size);
  // The epoch: the times of the evidence are in the evidence.
  bytes.write('00000000000\0', 136);
  bytes.write('        ', 148);
  bytes.write('0', 156);
  bytes.write('ustar\u000000', 257);
  const sum = bytes.reduce((all, byte) => all + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

/** From 8 GiB on in base 256, which GNU tar, bsdtar and Python read. */
function writeSize(bytes: Buffer, size: number): void {
  if (size < OCTAL_LIMIT) {
    bytes.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
    return;
  }
  bytes[124] = 0x80;
  bytes.writeBigUInt64BE(BigInt(size), 128);
}
