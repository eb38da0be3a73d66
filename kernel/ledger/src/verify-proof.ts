import { base64Of } from './bytes.ts';
import { MalformedNote } from './malformed-note.ts';
import { openNote, type Verifier } from './note.ts';
import { FIRST_LINE, type IncludedRecord, includedRecord, type ProofFile, parseProof } from './proof-file.ts';
import { readOperation, readRecord } from './record.ts';

export function proofText({ record, index, path, checkpoint }: ProofFile): string {
  const lines = [FIRST_LINE, `extra ${Buffer.from(record).toString('base64')}`, `index ${index}`];
  return `${[...lines, ...path.map(base64Of)].join('\n')}\n\n${checkpoint}`;
}

/** What a proof file proves: this record is in the tree of this checkpoint, which these keys signed. */
export interface Proven extends IncludedRecord {
  readonly signedBy: readonly Verifier[];
}

/** @throws {MalformedNote} for an invalid proof */
export function verifyProof(text: string, verifiers: readonly Verifier[]): Proven {
  const file = parseProof(text);
  const { signedBy } = openNote(file.checkpoint, verifiers);
  const bytes = Buffer.from(file.record);
  const asLedger = readRecord(bytes);
  // A record that matches no schema of the ledger may be one of the operations log.
  const read = asLedger === 'wrong_schema' ? readOperation(bytes) : asLedger;
  if (typeof read === 'string') throw new MalformedNote(`the record is invalid: ${read}`);
  return { ...includedRecord(file), signedBy };
}
