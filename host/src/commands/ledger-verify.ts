import { isStoreError } from '@svc/contracts';
import {
  isOfOperations,
  type LedgerReport,
  LedgerVerifier,
  Passkeys,
  type RecordReader,
  readAhead,
  readOperation,
  readRecord,
  sessionKeyIn,
  sessionReader,
} from '@svc/ledger';
import type { OperationsFault } from '@svc/runtime/records';
import { CliError } from '../errors/cli-error.ts';
import { printable } from '../terminal/terminal.ts';
import { readArguments } from './arguments.ts';
import { isolated, sayRecords } from './isolated.ts';
import { checkpointIn, EXIT_CODES, type KeptCheckpoint, readCheckpoint, readKeys, readPolicy } from './ledger-keys.ts';
import {
  isFolder,
  type LedgerSource,
  noteOfSession,
  openLedger,
  type RecordLog,
  type RecordSource,
  type StoreSource,
} from './ledger-source.ts';
import { withTimestamps } from './ledger-timestamps.ts';
import { asJson, asText, type Fault, type LogName, type Verified } from './ledger-words.ts';
import { Progress, type Total } from './progress.ts';

/** Number of records between two progress reports. */
const SAID_EVERY = 1000;

interface Asked {
  readonly source: string;
  readonly json: boolean;
  readonly checkpoints: readonly KeptCheckpoint[];
}

/**
 * `svc ledger verify SOURCE`: verifies a ledger by itself and against checkpoints that were kept elsewhere. SOURCE is a runs-db (a folder that no
 * server uses, or a database), a file of JSON lines, or the URL of a running server (with the key in SVC_KEY). Exit codes: `EXIT_CODES`.
 */
export async function verifyLedgerOf(args: string[]): Promise<void> {
  const asked = await readAsked(args);
  const ledger = await openLedger(asked.source);
  try {
    say(asked, await verify(ledger, asked.checkpoints));
  } finally {
    await ledger.close();
  }
}

/** As {@link verifyLedgerOf}, but in a child process if reading may crash the process. */
export async function verifyIsolated(args: string[]): Promise<void> {
  const asked = await readAsked(args);
  if (!isFolder(asked.source)) return verifyLedgerOf(args);
  await isolated(
    () => verifyLedgerOf(args),
    ({ signal, records }) => {
      const fault: Fault = { why: 'damaged', what: `the process that reads the runs-db was killed by ${signal}` };
      const report = { ...new LedgerVerifier().report(), records };
      say(asked, {
        verdict: 'broken',
        report,
        log: 'ledger',
        checkpoints: asked.checkpoints,
        operations: null,
        signatures: 0,
        knows_runs: false,
        fault,
      });
    },
  );
}

async function readAsked(args: string[]): Promise<Asked> {
  const { positionals, values } = readArguments(
    args,
    {
      checkpoint: { type: 'string', multiple: true, default: [] },
      key: { type: 'string', multiple: true, default: [] },
      policy: { type: 'string' },
      timestamp: { type: 'string', multiple: true, default: [] },
      'tsa-ca': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
    ['SOURCE'],
  );
  const [source = ''] = positionals;
  const ofSession = await noteOfSession(source);
  if (values.key.length > 0 && values.checkpoint.length === 0 && ofSession === null)
    throw new CliError('--key checks the signature of a checkpoint: add --checkpoint FILE', 2);
  const policy = values.policy === undefined ? null : await readPolicy(values.policy);
  if (policy !== null && values.checkpoint.length === 0)
    throw new CliError('--policy checks the cosignatures of a checkpoint: add --checkpoint FILE', 2);
  const { timestamp: timestamps, 'tsa-ca': ca } = values;
  if (timestamps.length > 0 !== (ca !== undefined))
    throw new CliError('use --timestamp FILE together with --tsa-ca FILE, the root certificates of its authority', 2);
  if (timestamps.length > 0 && values.checkpoint.length === 0)
    throw new CliError('--timestamp checks the time stamp of a checkpoint: add --checkpoint FILE', 2);
  const keys = [...readKeys(values.key), ...(policy?.logs ?? [])];
  if (policy !== null && keys.length === 0) throw new CliError('the policy lists no log: add --key VKEY', 2);
  const read = await Promise.all(values.checkpoint.map((file) => readCheckpoint(file, keys, policy)));
  const kept = ca === undefined ? read : await withTimestamps(read, timestamps, ca);
  const checkpoints = ofSession === null ? kept : [...kept, checkpointIn(ofSession, source, keys)];
  return { source, json: values.json, checkpoints };
}

function say({ json }: Asked, verified: Verified): void {
  process.stdout.write(json ? asJson(verified) : asText(verified));
  process.exitCode = EXIT_CODES[verified.verdict];
}

/** Verifies the records in order, and everything else in the source. */
export async function verify(ledger: LedgerSource, checkpoints: readonly KeptCheckpoint[]): Promise<Verified> {
  const checked = await check(ledger, checkpoints);
  const log = ledger.kind === 'records' ? ledger.ledger.of : 'ledger';
  const isSigned = checkpointsOf(log, checkpoints).some(({ size, signed_by }) => size > 0 && signed_by.length > 0);
  const verdict = checked.fault !== null ? 'broken' : isSigned ? 'anchored' : 'self_attested';
  return { verdict, ...checked, log, checkpoints, knows_runs: ledger.kind === 'store' };
}

type Checked = Pick<Verified, 'report' | 'operations' | 'signatures' | 'fault'>;

/** The checkpoints of a log. The origin of a checkpoint says which log it belongs to. */
function checkpointsOf(log: RecordLog['of'], kept: readonly KeptCheckpoint[]): readonly KeptCheckpoint[] {
  return kept.filter((checkpoint) => logOf(checkpoint) === log);
}

function logOf(checkpoint: Pick<KeptCheckpoint, 'origin'>): LogName {
  if (isOfOperations(checkpoint)) return 'operations';
  return sessionKeyIn(checkpoint) === null ? 'ledger' : 'session';
}

/** @throws {CliError} for a checkpoint of a log that the source does not have */
function assertOfLogs(logs: readonly LogName[], checkpoints: readonly KeptCheckpoint[]): void {
  for (const checkpoint of checkpoints)
    if (!logs.includes(logOf(checkpoint)))
      throw new CliError(
        `the checkpoint ${checkpoint.file} is for the log "${printable(checkpoint.origin)}", which this source does not have`,
      );
}

async function check(ledger: LedgerSource, checkpoints: readonly KeptCheckpoint[]): Promise<Checked> {
  switch (ledger.kind) {
    case 'damaged':
      return { report: new LedgerVerifier().report(), operations: null, signatures: 0, fault: ledger.fault };
    case 'records':
      return checkRecords(ledger, checkpoints);
    case 'store':
      return checkStore(ledger, checkpoints);
  }
}

async function checkRecords(
  { ledger, operations, total }: RecordSource,
  checkpoints: readonly KeptCheckpoint[],
): Promise<Checked> {
  assertOfLogs([ledger.of, ...(operations === null ? [] : [operations.of])], checkpoints);
  const passkeys = new Passkeys();
  const report = await checkLog(ledger, checkpoints, total, passkeys);
  const beside = operations === null ? null : await checkLog(operations, checkpoints, null, passkeys);
  const fault = report.fault ?? ofOperations(beside?.fault ?? null) ?? passkeys.fault(operations !== null);
  return { report, operations: beside, signatures: passkeys.signatures, fault };
}

function ofOperations(fault: OperationsFault | null): Fault | null {
  return fault === null ? null : { ...fault, log: 'operations' };
}

async function checkLog(
  log: RecordLog,
  checkpoints: readonly KeptCheckpoint[],
  total: Total | null,
  passkeys: Passkeys,
): Promise<LedgerReport> {
  const isLedger = log.of === 'ledger';
  const end = await log.end().then(
    (checkpoint) => ({ checkpoint, refusal: null }),
    (refusal: unknown) => ({ checkpoint: null, refusal }),
  );
  const own = end.checkpoint === null ? [] : [end.checkpoint];
  const verifier = new LedgerVerifier(checkpointsOf(log.of, checkpoints), own, readerOf(log.of, checkpoints), passkeys);
  const progress = new Progress(process.stderr, 'records', total);
  try {
    for await (const [batch, read] of readAhead(log.batches(), (records) => (isLedger ? records : []), recordThreads)) {
      if (!batch.every((record, index) => verifier.add(record, read[index]) !== null)) break;
      progress.advance(
        batch.length,
        batch.reduce((sum, { length }) => sum + length, 0),
      );
    }
  } finally {
    progress.end();
  }
  const report = verifier.report();
  if (report.fault === null && end.refusal !== null) throw end.refusal;
  return report;
}

function readerOf(log: LogName, checkpoints: readonly KeptCheckpoint[]) {
  if (log === 'operations') return readOperation;
  const keys = checkpoints.map(sessionKeyIn).filter((key) => key !== null);
  // An export that states no session contains no valid record.
  return log === 'session' ? sessionReader(keys.at(-1) ?? '') : readRecord;
}

/** Loaded on demand, because loading takes longer than verifying a few records. */
async function recordThreads(): Promise<RecordReader> {
  const { RecordThreads } = await import('@svc/runtime/records');
  return new RecordThreads();
}

/** Verifies everything in the store, in one snapshot. */
async function checkStore({ store, total }: StoreSource, checkpoints: readonly KeptCheckpoint[]): Promise<Checked> {
  assertOfLogs(['ledger', 'operations'], checkpoints);
  const [{ StoreCheck }, { damageIn }] = await Promise.all([import('@svc/runtime/records'), import('./damage.ts')]);
  const check = await StoreCheck.begin(store, checkpoints);
  const { verifier } = check;
  const progress = new Progress(process.stderr, 'records', total);
  try {
    let said = 0;
    for await (const _ of check.items(store)) {
      if (verifier.records - said < SAID_EVERY) continue;
      progress.advance(verifier.records - said, 0);
      said = verifier.records;
      sayRecords(said);
    }
    const fault = check.end();
    return { report: verifier.report(), operations: check.operations.report(), signatures: verifier.passkeys.signatures, fault };
  } catch (error) {
    const fault = damageIn(error);
    if (fault !== null) return { report: verifier.report(), operations: null, signatures: verifier.passkeys.signatures, fault };
    throw isStoreError(error) ? new CliError(error.message) : error;
  } finally {
    progress.end();
  }
}
