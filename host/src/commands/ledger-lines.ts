import { createReadStream } from 'node:fs';

const CHUNK = 1 << 20;
const NEWLINE = 0x0a;

/** The lines of a file without their ends, those of one piece of the file at a time; empty ones are passed over. */
export async function* linesOf(file: string): AsyncGenerator<readonly Buffer[]> {
  /** The pieces of a line that goes on. */
  let open: Buffer[] = [];
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
    const lines: Buffer[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const rest = chunk.subarray(begin, end);
      const line = open.length === 0 ? rest : Buffer.concat([...open, rest]);
      if (line.length > 0) lines.push(line);
      open = [];
      begin = end + 1;
    }
    if (begin < chunk.length) open.push(chunk.subarray(begin));
    yield lines;
  }
  if (open.length > 0) yield [Buffer.concat(open)];
}
