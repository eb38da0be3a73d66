import { closeSync, openSync, readSync } from 'node:fs';

const ROOM = 1 << 20;
const NEWLINE = 0x0a;

/** The lines of a file in batches, without line ends and without empty lines. Synchronous block reads take half the time. */
export async function* linesOf(path: string): AsyncGenerator<readonly Buffer[]> {
  const file = openSync(path, 'r');
  try {
    /** The beginning of an incomplete line. */
    let carry = Buffer.alloc(0);
    for (;;) {
      // A line that fills the buffer needs more room.
      const room = Buffer.allocUnsafe(Math.max(ROOM, carry.length * 2));
      carry.copy(room);
      const bytesRead = readSync(file, room, carry.length, room.length - carry.length, null);
      if (bytesRead === 0) break;
      const filled = room.subarray(0, carry.length + bytesRead);
      const { lines, rest } = split(filled);
      yield lines;
      carry = filled.subarray(rest);
    }
    if (carry.length > 0) yield [carry];
  } finally {
    closeSync(file);
  }
}

/** Complete lines, and the offset of the incomplete rest. */
function split(bytes: Buffer): { lines: Buffer[]; rest: number } {
  const lines: Buffer[] = [];
  let rest = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, rest)) {
    if (end > rest) lines.push(bytes.subarray(rest, end));
    rest = end + 1;
  }
  return { lines, rest };
}
