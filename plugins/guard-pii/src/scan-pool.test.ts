import { expect, test } from 'vitest';
import { scanTexts } from './scan-pool.ts';
import { makeScanner } from './scanner.ts';
import { testWorkers } from './test-workers.ts';

const settings = { entities: ['PERSON', 'PHONE_NUMBER'], threshold: 0.4, recognizers: [] };
const scanner = makeScanner(settings);
const deps = { workers: testWorkers, signal: new AbortController().signal };

/** Whether texts are scanned on the spot, where everybody waits for them. */
function isScannedHere(texts: readonly string[]): boolean {
  return !(scanTexts(texts, scanner, settings, deps) instanceof Promise);
}

function filled(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

test('prose goes to a thread when it is long', () => {
  const prose = 'We met them at 10 and talked about the boats. ';
  expect([12_000, 17_000].map((length) => isScannedHere([filled(prose, length)]))).toEqual([true, false]);
});

test('a text of digits goes to a thread sooner, also when it comes in several', () => {
  const dense = '(212) 555 012 ';
  expect([2000, 4000].map((length) => isScannedHere([filled(dense, length)]))).toEqual([true, false]);
  expect(isScannedHere([filled(dense, 2000), filled(dense, 2000)])).toBe(false);
});

test('a thread finds the same', async () => {
  const text = `${filled('(212) 555 012 ', 4000)} call (212) 555-0123`;
  expect(await scanTexts([text], scanner, settings, deps)).toEqual([scanner.find(text)]);
});
