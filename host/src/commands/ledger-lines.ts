import { closeSync, openSync, readSync } from 'node:fs';

const ROOM = 1 << 20;
const NEWLINE = 0x0a;

/**
 * The lines of a file without their ends, some at a time, good until the next are asked for; empty ones are passed over. Nothing else is to be
 * done meanwhile, and read like this it costs half.
 */
export async function* linesOf(path: string): AsyncGenerator<readonly Buffer[]> {
  const file = openSync(path, 'r');
  try {
    let room = Buffer.allocUnsafe(ROOM);
    /** Bytes of a line that goes on, at the beginning of the room. */
    let held = 0;
    for (;;) {
      const bytesRead = readSync(file, room, held, room.length - held, null);
      if (bytesRead === 0) break;
      const filled = room.subarray(0, held + bytesRead);
      const { lines, rest } = split(filled);
      yield lines;
      held = filled.length - rest;
      // A line that fills all of it needs more.
      const next = held === room.length ? Buffer.allocUnsafe(room.length * 2) : room;
      filled.copy(next, 0, rest);
      room = next;
    }
    if (held > 0) yield [room.subarray(0, held)];
  } finally {
    closeSync(file);
  }
}

/** Its whole lines, and where the last one goes on. */
function split(bytes: Buffer): { lines: Buffer[]; rest: number } {
  const lines: Buffer[] = [];
  let rest = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, rest)) {
    if (end > rest) lines.push(bytes.subarray(rest, end));
    rest = end + 1;
  }
  return { lines, rest };
}
