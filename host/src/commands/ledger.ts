import { verifyLedgerOf } from './ledger-verify.ts';
import { verifyProofFile } from './ledger-verify-proof.ts';
import { Refusal } from './refusal.ts';

/** `svc ledger verify` and `svc ledger verify-proof`. */
export async function ledger([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'verify':
      return verifyLedgerOf(args);
    case 'verify-proof':
      return verifyProofFile(args);
    default:
      throw new Refusal(`unknown command ledger ${command ?? ''}; there are: svc ledger verify, svc ledger verify-proof`, 2);
  }
}
