import { parseVerifierKey, verifyProof } from '@svc/ledger';
import { AUDIT_HINTS, answerOf } from '../served/ask-server.ts';
import { printable, styled } from '../terminal/terminal.ts';
import type { Evidence, EvidenceReader } from '../trail/evidence.ts';
import { nameOf } from './ledger-keys.ts';

/** Reads from a server. `read` throws {@link CliError} if it cannot be reached. */
export function evidenceReader(server: string): EvidenceReader {
  return {
    read: (path) => answerOf(server, { method: 'GET', path }, AUDIT_HINTS),
    verify: async (proof, keys) => {
      const { signedBy, ...proven } = verifyProof(proof, keys.map(parseVerifierKey));
      return { ...proven, signed_by: signedBy.map(nameOf) };
    },
  };
}

export function evidenceLine({ verdict, seq, hash, checkpoint, signed_by, why }: Evidence): string {
  const record = `record ${seq} (${printable(hash ?? '')})`;
  const ledger = `record of this run, in the signed ledger "${printable(checkpoint?.origin ?? '')}" of ${checkpoint?.size} records`;
  switch (verdict) {
    case 'none':
      return `evidence: none: ${why}`;
    case 'not_checked':
      return `evidence: ${record}, ${styled('yellow', 'not checked')}: ${printable(why)}`;
    case 'broken':
      return `evidence: ${record}, ${styled('red', 'BROKEN')}: ${printable(why)}`;
    case 'self_attested':
      return `evidence: ${record}, ${styled('yellow', 'valid, but SELF-ATTESTED ONLY')}: ${ledger}; checked only with keys from the server itself: add --key`;
    case 'anchored':
      return `evidence: ${record}, ${styled('green', 'PROVEN')}: ${ledger}, signed by ${printable((signed_by ?? []).join(', '))}`;
  }
}
