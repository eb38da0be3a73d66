import type { FileHandle } from 'node:fs/promises';

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** The last whole line of a file and where it ends; `text` is null where there is none. */
export interface LastLine {
  readonly text: string | null;
  /** Bytes up to and with its newline. What lies behind was torn off by a crash. */
  readonly end: number;
}

/** Reads from the end, so that a file of any size costs no more than its last line. */
export async function lastLine(file: FileHandle): Promise<LastLine> {
  const { size } = await file.stat();
  let tail = Buffer.alloc(0);
  for (let begin = size; begin > 0; ) {
    const length = Math.min(BLOCK, begin);
    begin -= length;
    const block = Buffer.alloc(length);
    await file.read(block, 0, length, begin);
    tail = Buffer.concat([block, tail]);
    const newline = tail.lastIndexOf(NEWLINE);
    if (newline < 0) continue;
    const before = newline === 0 ? -1 : tail.lastIndexOf(NEWLINE, newline - 1);
    if (before < 0 && begin > 0) continue;
    return { text: tail.subarray(before + 1, newline).toString(), end: begin + newline + 1 };
  }
  return { text: null, end: 0 };
}
