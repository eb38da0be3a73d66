import { verifyChain } from '@svc/kernel';
import { readArguments } from './arguments.ts';
import { recordsOf } from './ledger-source.ts';
import { Refusal } from './refusal.ts';

/**
 * `svc ledger verify SOURCE`: checks the chain of a runs-db folder (of a stopped server), a file of JSON lines, or a running server's URL
 * (with the key in SVC_KEY). Exit code 0: the chain is whole; 1: it is broken, and where.
 */
export async function ledger(args: string[]): Promise<void> {
  const { positionals } = readArguments(args, {}, ['verify', 'SOURCE']);
  const [command, source = ''] = positionals;
  if (command !== 'verify') throw new Refusal(`unknown command ledger ${command}; there is: svc ledger verify SOURCE`, 2);
  const { records, head, fault } = await verifyChain(recordsOf(source, process.env.SVC_KEY));
  if (fault !== null) {
    process.stdout.write(`BROKEN at seq ${fault.seq}: ${fault.why}. ${records} records before it are whole.\n`);
    process.exitCode = 1;
    return;
  }
  process.stdout.write(`whole: ${records} records, head ${head}\n`);
  process.stdout.write(
    'proven: every record links to the one before. Not proven by a chain alone: that its end was not cut off or all of it rewritten.\n',
  );
}
