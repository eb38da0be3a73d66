import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'vectors');

/** Reads a file of test/fixtures/vectors. */
export function vector(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

export function vectorJson<T>(name: string): T {
  return JSON.parse(vector(name)) as T;
}

/** The lines of a JSON Lines file, one record each. */
export function vectorLedger(name = 'ledger.jsonl'): string[] {
  return vector(name)
    .split('\n')
    .filter((line) => line !== '');
}
