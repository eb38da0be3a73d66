import { crc32 } from 'node:zlib';

/** Each frame begins at a block boundary, so that a torn write cannot damage the frame before it. */
export const BLOCK = 4096;
/** Header, little-endian: checksum of everything after it, length of the text, id, base, number. */
const [LENGTH_AT, ID_AT, BASE_AT, NUMBER_AT, HEADER] = [4, 8, 16, 22, 28];
const ID_BYTES = 8;
const NUMBER_BYTES = 6;

/** The frames since the log was last restarted. */
export interface Generation {
  /** The folder's id: 8 bytes, hexadecimal. */
  readonly id: string;
  /** Number of the last frame before this generation. Numbers rise by one, across generations. */
  readonly base: number;
}

export interface Frame {
  readonly number: number;
  readonly text: string;
}

interface FoundFrame extends Frame, Generation {
  readonly end: number;
}

/** A frame with these texts joined. It has no number yet: see {@link numberFrame}. */
export function frameOf(texts: readonly string[]): Buffer {
  let end = HEADER;
  for (const text of texts) end += Buffer.byteLength(text);
  const frame = Buffer.alloc(Math.ceil(end / BLOCK) * BLOCK);
  frame.writeUInt32LE(end - HEADER, LENGTH_AT);
  let at = HEADER;
  for (const text of texts) at += frame.write(text, at);
  return frame;
}

/** Writes the number and the checksum into a frame. */
export function numberFrame(frame: Buffer, { id, base }: Generation, number: number): void {
  frame.write(id, ID_AT, 'hex');
  frame.writeUIntLE(base, BASE_AT, NUMBER_BYTES);
  frame.writeUIntLE(number, NUMBER_AT, NUMBER_BYTES);
  frame.writeUInt32LE(crc32(frame.subarray(LENGTH_AT, HEADER + frame.readUInt32LE(LENGTH_AT))), 0);
}

function frameAt(bytes: Buffer, at: number): FoundFrame | null {
  if (at + HEADER > bytes.length) return null;
  const end = at + HEADER + bytes.readUInt32LE(at + LENGTH_AT);
  // Zero bytes would pass as an empty frame, but no frame is empty.
  if (end === at + HEADER || end > bytes.length || crc32(bytes.subarray(at + LENGTH_AT, end)) !== bytes.readUInt32LE(at))
    return null;
  return {
    id: bytes.toString('hex', at + ID_AT, at + ID_AT + ID_BYTES),
    base: bytes.readUIntLE(at + BASE_AT, NUMBER_BYTES),
    number: bytes.readUIntLE(at + NUMBER_AT, NUMBER_BYTES),
    text: bytes.toString('utf8', at + HEADER, end),
    end: at + Math.ceil((end - at) / BLOCK) * BLOCK,
  };
}

/** The generation of the newest frames of a log; null if it does not begin with a frame. */
export function generationIn(bytes: Buffer): Generation | null {
  return frameAt(bytes, 0);
}

/** The frames of a generation, in order. `is_broken`: an unreadable frame is followed by others of the generation, so it was not the last. */
export function framesIn(bytes: Buffer, { id, base }: Generation): { frames: Frame[]; end: number; is_broken: boolean } {
  const frames: Frame[] = [];
  const next = (at: number): FoundFrame | null => {
    const frame = frameAt(bytes, at);
    return frame?.id === id && frame.base === base && frame.number > base + frames.length ? frame : null;
  };
  let end = 0;
  for (let frame = next(end); frame?.number === base + frames.length + 1; frame = next(end)) {
    frames.push(frame);
    end = frame.end;
  }
  let is_broken = false;
  for (let at = end; at < bytes.length && !is_broken; at += BLOCK) is_broken = next(at) !== null;
  return { frames, end, is_broken };
}
