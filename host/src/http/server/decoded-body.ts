import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { SvcError } from '@svc/contracts';

/** Maximum window of a Zstandard frame. A frame could require a decoder to keep 128 MiB. */
const MAX_WINDOW = 23;

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW } }),
};

/**
 * Decodes a body while it is read. If reading stops, decoding stops.
 * @throws {SvcError} SVC-REQ-004
 */
export function decodedBody(raw: IncomingMessage): Readable {
  const coding = (raw.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return raw;
  const make = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (make === undefined)
    throw new SvcError('SVC-REQ-004', 'unknown content encoding; send the body uncompressed, or as gzip, br or zstd');
  return raw.pipe(make());
}
