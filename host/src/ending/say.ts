import { write } from 'node:fs';

const SAYING_MS = 500;

/** Writes a line to stderr. Resolves when the line is written, or after a time limit: `process.stderr` would wait for a full pipe. */
export function say(line: string): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, SAYING_MS);
    write(2, `${line}\n`, () => resolve());
  });
}
