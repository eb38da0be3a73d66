import { join } from 'node:path';
import { isObject, type JsonObject } from '@svc/contracts';
import type { LedgerFault, LedgerVerifier } from '@svc/ledger';
import { linesOf } from '../served/ledger-lines.ts';
import { PackFault } from './pack-fault.ts';

/** Verifies the records of a file in order, and gives each of them to `take`. @throws {PackFault} for the first wrong record */
export async function verifyLines(
  folder: string,
  name: string,
  verifier: LedgerVerifier,
  take: (record: JsonObject) => void,
): Promise<void> {
  for await (const lines of linesOf(join(folder, name)))
    for (const line of lines) {
      if (verifier.add(line) === null) break;
      const record: unknown = JSON.parse(line.toString());
      if (isObject(record)) take(record);
    }
  const { fault } = verifier.report();
  if (fault !== null) throw new PackFault(`${name}: ${wordsOf(fault)}`);
}

export function wordsOf({ seq, through, why }: Pick<LedgerFault, 'seq' | 'through'> & { readonly why: string }): string {
  return seq === through ? `record ${seq}: ${why}` : `one of the records ${seq} to ${through}: ${why}`;
}
