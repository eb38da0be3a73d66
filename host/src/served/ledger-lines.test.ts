import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { linesOf } from './ledger-lines.ts';

const MEBIBYTE = 2 ** 20;
const line = (length: number): string => 'abcdefghijk'.repeat(Math.ceil(length / 11)).slice(0, length);

it.each([
  ['nothing', []],
  ['one', ['a']],
  ['many over the end of what is read at once', Array.from({ length: 3000 }, (_, n) => line(1000 + (n % 7)))],
  ['one that just fills what is read at once', [line(MEBIBYTE - 1), 'b']],
  ['one that is longer than that', ['a', line(MEBIBYTE), line(3 * MEBIBYTE + 5), 'b']],
])('gives the lines of a file: %s', async (_what, lines) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const text of [lines.map((each) => `${each}\n`).join(''), lines.map((each) => `\n${each}`).join('\n')]) {
    writeFileSync(join(folder, 'lines'), text);
    const found: string[] = [];
    for await (const some of linesOf(join(folder, 'lines'))) found.push(...some.map(String));
    expect(found).toEqual(lines);
  }
});
