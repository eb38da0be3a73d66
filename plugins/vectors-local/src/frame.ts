import { crc32 } from 'node:zlib';

/** Payload length, checksum of the payload, and checksum of both: 32 bits each, little-endian. */
export const FRAME_HEAD = 12;
const MAX_PAYLOAD = 2 ** 31;

export function frameOf(payload: Buffer): Buffer {
  if (payload.length >= MAX_PAYLOAD) throw new RangeError('too much data in one request: index fewer documents per request');
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt32LE(payload.length, 0);
  head.writeUInt32LE(crc32(payload), 4);
  head.writeUInt32LE(crc32(head.subarray(0, 8)), 8);
  return Buffer.concat([head, payload]);
}

/** Null if it is not the head of a frame. */
export function readFrameHead(head: Buffer): { readonly length: number; readonly checksum: number } | null {
  if (head.length < FRAME_HEAD || head.readUInt32LE(8) !== crc32(head.subarray(0, 8))) return null;
  return { length: head.readUInt32LE(0), checksum: head.readUInt32LE(4) };
}
