import { type LedgerReport, LedgerVerifier } from '@svc/kernel/proof';
import { readArguments } from './arguments.ts';
import { EXIT_CODES, type KeptCheckpoint, readCheckpoint, readKeys } from './ledger-keys.ts';
import { type LedgerSource, openLedger } from './ledger-source.ts';
import { asJson, asText, type Fault, type Verified } from './ledger-words.ts';
import { Progress } from './progress.ts';
import { Refusal } from './refusal.ts';

/**
 * `svc ledger verify SOURCE`: checks a runs-db (a folder that no server holds, or a database), a file of JSON lines, or a running server (its
 * URL, with the key in SVC_KEY), by itself and beside checkpoints that were kept elsewhere. Exit codes: `EXIT_CODES`.
 */
export async function verifyLedgerOf(args: string[]): Promise<void> {
  const { positionals, values } = readArguments(
    args,
    {
      checkpoint: { type: 'string', multiple: true, default: [] },
      key: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
    ['SOURCE'],
  );
  const [source = ''] = positionals;
  if (values.key.length > 0 && values.checkpoint.length === 0)
    throw new Refusal('--key says who signed a checkpoint: give --checkpoint FILE too', 2);
  const keys = readKeys(values.key);
  const checkpoints = await Promise.all(values.checkpoint.map((file) => readCheckpoint(file, keys)));
  const ledger = await openLedger(source, process.env.SVC_KEY);
  try {
    const verified = await verify(ledger, checkpoints);
    process.stdout.write(values.json ? asJson(verified) : asText(verified));
    process.exitCode = EXIT_CODES[verified.verdict];
  } finally {
    await ledger.close();
  }
}

/** Checks the records in their order, and that runs that ended are among them. */
export async function verify(ledger: LedgerSource, checkpoints: readonly KeptCheckpoint[]): Promise<Verified> {
  const verifier = new LedgerVerifier(checkpoints);
  await addAll(verifier, ledger);
  const report = verifier.report();
  const fault = report.fault ?? (await runWithoutEvidence(verifier, report, ledger));
  const isSigned = checkpoints.some(({ size, signed_by }) => size > 0 && signed_by.length > 0);
  const verdict = fault !== null ? 'broken' : isSigned ? 'anchored' : 'self_attested';
  return { verdict, report, checkpoints, knows_runs: ledger.endedRuns !== null, fault };
}

async function addAll(verifier: LedgerVerifier, ledger: LedgerSource): Promise<void> {
  const progress = new Progress(process.stderr, 'records', ledger.total);
  try {
    for await (const batch of ledger.batches()) {
      let bytes = 0;
      for (const record of batch) {
        if (!verifier.add(record)) return;
        bytes += record.length;
      }
      progress.advance(batch.length, bytes);
    }
  } finally {
    progress.end();
  }
}

async function runWithoutEvidence(
  verifier: LedgerVerifier,
  { records }: LedgerReport,
  ledger: LedgerSource,
): Promise<Fault | null> {
  for await (const { run_id, evidence } of ledger.endedRuns?.() ?? []) {
    // A run that ended after the last record was read.
    if (evidence !== null && evidence.seq > records) continue;
    if (evidence === null || !verifier.hasEvidence(run_id)) return { why: 'no_evidence', run_id };
  }
  return null;
}
