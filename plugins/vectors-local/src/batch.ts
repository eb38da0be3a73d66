import { endianness } from 'node:os';
import type { NewVector, RagDocument } from '@svc/sdk/vectors';

/** A document, and where its bytes are in the payload. */
export interface PlacedDocument {
  readonly document: RagDocument;
  readonly vector: Float32Array;
  /** Offset of the document's JSON in the payload. */
  readonly offset: number;
  readonly length: number;
}

/** Layout: the number of documents, each document's JSON after its length, then the vectors as 32-bit floats. All numbers are little-endian. */
export function encodeBatch(documents: readonly NewVector[]): Buffer {
  const parts: Buffer[] = [uint32(documents.length)];
  for (const { document } of documents) {
    const json = Buffer.from(JSON.stringify(document));
    parts.push(uint32(json.length), json);
  }
  for (const { vector } of documents) parts.push(littleEndian(Buffer.from(vector.slice().buffer)));
  return Buffer.concat(parts);
}

export function decodeBatch(payload: Buffer, dimensions: number): PlacedDocument[] {
  const places: { offset: number; length: number }[] = [];
  let at = 4;
  for (let left = payload.readUInt32LE(0); left > 0; left -= 1) {
    const length = payload.readUInt32LE(at);
    places.push({ offset: at + 4, length });
    at += 4 + length;
  }
  // Copied, so that they are aligned to four bytes.
  const numbers = new Float32Array(places.length * dimensions);
  payload.copy(Buffer.from(numbers.buffer), 0, at, at + numbers.byteLength);
  littleEndian(Buffer.from(numbers.buffer));
  return places.map(({ offset, length }, i) => {
    const vector = numbers.subarray(i * dimensions, (i + 1) * dimensions);
    const document: RagDocument = JSON.parse(payload.toString('utf8', offset, offset + length));
    return { document, vector, offset, length };
  });
}

/** Converts between the byte order of this machine and that of the file. */
function littleEndian(floats: Buffer): Buffer {
  return endianness() === 'LE' ? floats : floats.swap32();
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
