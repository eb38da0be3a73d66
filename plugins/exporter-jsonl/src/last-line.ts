import type { FileHandle } from 'node:fs/promises';

const BLOCK = 65_536;
const NEWLINE = 0x0a;

/** The last complete line of a file, and its end. `text` is null if there is no such line. */
export interface LastLine {
  readonly text: string | null;
  /** Offset after the newline. Bytes beyond it are an incomplete write. */
  readonly end: number;
}

/** Reads backwards from the end, so that the cost does not depend on the file's size. */
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
