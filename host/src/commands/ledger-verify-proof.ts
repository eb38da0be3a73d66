import { type Proven, verifyProof } from '@svc/ledger';
import { printable, styled } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { EXIT_CODES, nameOf, readKeys, readText, reasonOf } from './ledger-keys.ts';

/** `svc ledger verify-proof FILE`: verifies that a record is in a signed ledger, using only a file of the proof endpoint. */
export async function verifyProofFile(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    { key: { type: 'string', multiple: true, default: [] }, json: { type: 'boolean', default: false } },
    ['FILE'],
  );
  const [file = ''] = positionals;
  const keys = readKeys(values.key);
  const proof = await readText(file);
  const proven = provenOrWhy(() => verifyProof(proof, keys), keys.length > 0);
  const verdict = typeof proven === 'string' ? 'broken' : keys.length === 0 ? 'self_attested' : 'anchored';
  process.stdout.write(values.json ? asJson(verdict, proven) : asText(proven, keys.length > 0));
  process.exitCode = EXIT_CODES[verdict];
}

function provenOrWhy(prove: () => Proven, isSignatureWanted: boolean): Proven | string {
  try {
    const proven = prove();
    return isSignatureWanted && proven.signedBy.length === 0 ? 'it is not signed by any of the given keys' : proven;
  } catch (error) {
    return reasonOf(error);
  }
}

function asJson(verdict: string, proven: Proven | string): string {
  const said =
    typeof proven === 'string'
      ? { why: proven }
      : {
          seq: proven.place.seq,
          hash: proven.place.hash,
          checkpoint: { origin: proven.checkpoint.origin, size: proven.checkpoint.size },
          signed_by: proven.signedBy.map(nameOf),
        };
  return `${JSON.stringify({ verdict, ...said }, null, 2)}\n`;
}

function asText(proven: Proven | string, isSigned: boolean): string {
  if (typeof proven === 'string') return `${styled('red', 'BROKEN')}: the proof is invalid: ${proven}.\n`;
  const { place, checkpoint, signedBy } = proven;
  const signed = isSigned
    ? `and ${signedBy.map(nameOf).join(', ')} signed that ledger`
    : 'but the signature was not checked: without --key, anyone could have written this file';
  const verdict = isSigned ? styled('green', 'PROVEN') : styled('yellow', 'SELF-ATTESTED ONLY');
  return `${verdict}: record ${place.seq} (${place.hash}) is in the ledger "${printable(checkpoint.origin)}" of ${checkpoint.size} records, ${signed}.\n`;
}
