import { unknownCommand } from './arguments.ts';
import { printLedgerKeys } from './ledger-public-keys.ts';
import { tileLedger } from './ledger-tiles.ts';
import { verifyIsolated } from './ledger-verify.ts';
import { verifyProofFile } from './ledger-verify-proof.ts';

/** `svc ledger verify`, `svc ledger verify-proof`, `svc ledger tiles` and `svc ledger keys`. */
export async function ledger([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'verify':
      return verifyIsolated(args);
    case 'verify-proof':
      return verifyProofFile(args);
    case 'tiles':
      return tileLedger(args);
    case 'keys':
      return printLedgerKeys(args);
    default:
      throw unknownCommand('ledger', command, [
        'svc ledger verify',
        'svc ledger verify-proof',
        'svc ledger tiles',
        'svc ledger keys',
      ]);
  }
}
