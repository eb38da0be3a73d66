import { base64Of, isOfOperations, type LedgerFault, type LedgerReport, type PasskeyFault } from '@svc/ledger';
import type { StoreFault } from '@svc/runtime/records';
import { printable, styled } from '../terminal/terminal.ts';
import type { KeptCheckpoint, Verdict } from './ledger-keys.ts';

/** The source cannot be read, or cannot be read safely. `what` is for people. The seqs are given if they are known. */
interface DamageFault {
  readonly why: 'damaged';
  readonly what: string;
  readonly seq?: number;
  readonly through?: number;
}

export type LogName = 'ledger' | 'operations' | 'session';

/** A fault in a record, in other data of a runs-db, or in the runs-db itself. */
export type Fault = LedgerFault | StoreFault | PasskeyFault | DamageFault;

export interface Verified {
  readonly verdict: Verdict;
  readonly report: LedgerReport;
  /** The log that `report` is about. */
  readonly log: LogName;
  /** Report on the operations log. Null: the source has none, or `report` is about that log. */
  readonly operations: LedgerReport | null;
  /** Number of valid signatures by passkeys, all of them compared with the operations log, if there is one. */
  readonly signatures: number;
  readonly checkpoints: readonly KeptCheckpoint[];
  /** Whether the source has runs. They were compared with the ledger. */
  readonly knows_runs: boolean;
  readonly fault: Fault | null;
}

/** A claim, and whether it was proven: a code for scripts and a sentence for people. */
interface Claim {
  readonly code: string;
  readonly text: string;
}

export function asJson(verified: Verified): string {
  const { verdict, report, operations, signatures, checkpoints, fault } = verified;
  const { proven, not_proven } = claims(verified);
  const said = {
    verdict,
    evidence: report.evidence,
    ...inJson(report),
    operations: operations === null ? null : inJson(operations),
    passkey_signatures: signatures,
    checkpoints: checkpoints.map(({ file, origin, size, signed_by, cosigned_by, timestamp }) => ({
      file,
      origin,
      size,
      signed_by,
      cosigned_by,
      timestamp,
    })),
    fault,
    proven: proven.map(({ code }) => code),
    not_proven: not_proven.map(({ code }) => code),
  };
  return `${JSON.stringify(said, null, 2)}\n`;
}

function inJson({ records, head, root, anchored }: LedgerReport) {
  return { records, head, root: base64Of(root), anchored };
}

export function asText(verified: Verified): string {
  const { proven, not_proven } = claims(verified);
  const list = (title: string, of: readonly Claim[]) =>
    of.length === 0 ? [] : [styled('bold', title), ...of.map(({ text }) => `- ${text}`)];
  return `${[headline(verified), ...operationsLine(verified), ...list('proven:', proven), ...list('not proven:', not_proven)].join('\n')}\n`;
}

function headline(verified: Verified): string {
  const { verdict, report, log, fault } = verified;
  const { records, head, root, evidence, anchored } = report;
  if (fault !== null) {
    const what = 'what' in fault ? `${WHY.damaged}: ${fault.what}` : WHY[fault.why];
    const rest = records === 1 ? 'is valid on its own' : 'are valid on their own';
    return `${styled('red', `BROKEN${placeOf(fault)}`)}: ${what}. ${counted(records)} ${rest}.${doubt(verified)}`;
  }
  const ofRuns = log !== 'operations' ? ` (${evidence} of runs)` : '';
  const whole = `${counted(records)}${ofRuns}, head ${head}, root ${base64Of(root)}`;
  if (verdict !== 'anchored') return `${styled('yellow', 'valid, but SELF-ATTESTED ONLY')}: ${whole}`;
  if (records === anchored) return `${styled('green', 'valid and signed')}: ${whole}`;
  const later = records - anchored;
  const rest = `${later} later ${later === 1 ? 'record is' : 'records are'} not covered by a signed checkpoint`;
  return `${styled('yellow', `valid, and signed UP TO RECORD ${anchored} of ${records}`)}, ${rest}: ${whole}`;
}

/** Doubt about a checkpoint that contradicts the ledger: the fault may lie with the checkpoint. */
function doubt({ fault, checkpoints }: Verified): string {
  if ((fault?.why !== 'cut_off' && fault?.why !== 'not_as_signed') || checkpoints.length === 0) return '';
  const origins = [...new Set(checkpoints.map(({ origin }) => origin))].join(', ');
  const unsigned = checkpoints.some(({ signed_by }) => signed_by.length === 0);
  const changed = unsigned ? ', or it was changed: add --key to check its signature' : '';
  return ` The checkpoint may instead belong to another ledger (its origin is ${printable(origins)})${changed}.`;
}

function operationsLine({ operations, checkpoints, fault }: Verified): string[] {
  if (operations === null) return [];
  const { records, head, root, anchored } = operations;
  const isSigned = checkpoints.some((checkpoint) => isOfOperations(checkpoint) && checkpoint.signed_by.length > 0);
  const signed = anchored > 0 && isSigned ? `signed up to record ${anchored}` : 'self-attested only';
  const verdict = fault !== null && 'log' in fault ? 'broken' : signed;
  return [`operations log: ${counted(records)}, ${verdict}, head ${head}, root ${base64Of(root)}`];
}

function counted(records: number): string {
  return `${records} ${records === 1 ? 'record' : 'records'}`;
}

/** Where a fault is, followed by the name of the log. */
function placeOf(fault: Fault): string {
  return 'log' in fault ? `${seqsOf(fault)} of the operations log` : seqsOf(fault);
}

function seqsOf(fault: Fault): string {
  if ('run_id' in fault) return ` at run ${fault.run_id}`;
  if ('status' in fault) return ` at the runs with status ${fault.status}`;
  if (!('seq' in fault) || fault.seq === undefined) return '';
  if (fault.seq === fault.through) return ` at seq ${fault.seq}`;
  // The total is unknown if the last records cannot be read.
  return fault.through === Number.MAX_SAFE_INTEGER
    ? ` somewhere from seq ${fault.seq} on`
    : ` somewhere from seq ${fault.seq} to ${fault.through}`;
}

const WHY: Readonly<Record<Fault['why'], string>> = {
  not_json: 'it is not valid UTF-8 JSON (not_json)',
  not_canonical: 'it is not in canonical form, RFC 8785 (not_canonical)',
  wrong_seq: 'its seq is not the next one: a record is missing, duplicated or moved (wrong_seq)',
  wrong_prev_hash: 'it does not link to the previous record (wrong_prev_hash)',
  wrong_hash: 'it was changed: its hash does not match its bytes (wrong_hash)',
  wrong_schema: 'it is not a ledger record: a field is missing or has the wrong type (wrong_schema)',
  second_evidence: 'its run already has an evidence record (second_evidence)',
  wrong_signature:
    'a passkey signature is invalid, or is for another run, content or approver than its decision (wrong_signature)',
  other_ledger: 'a passkey signature is for another ledger than the earlier decisions (other_ledger)',
  unregistered_passkey:
    'according to the operations log, the passkey that signed its decision was not registered to that person at that time (unregistered_passkey)',
  wrong_session:
    'it is not the next record of its session: its number or its link to the previous record is wrong (wrong_session)',
  cut_off:
    'the ledger is truncated: a checkpoint, the stored head, a run or an exporter refers to later records. The remaining records may not be the original ones (cut_off)',
  not_as_signed: 'the chain is valid but does not match the checkpoint: the records were rewritten (not_as_signed)',
  no_evidence: 'the run has ended, but the ledger has no evidence of it (no_evidence)',
  other_run: 'its row does not match its evidence (other_run)',
  no_run: 'it is evidence of a run, but that run has no row (no_run)',
  run_counts: 'the number of rows does not match the stored count: rows were removed or added (run_counts)',
  other_head: 'the stored head does not match the last record (other_head)',
  misfiled: 'it is indexed under the wrong type, model or hash (misfiled)',
  other_session: 'the stored last record of a session does not match the records (other_session)',
  other_tree: 'the stored Merkle tree does not match these records (other_tree)',
  damaged: 'the runs-db is damaged (damaged)',
};

function claims(verified: Verified): { proven: readonly Claim[]; not_proven: readonly Claim[] } {
  const { report, log, operations, checkpoints, verdict, fault, knows_runs } = verified;
  const { records, anchored } = report;
  const signers = [...new Set(checkpoints.flatMap(({ signed_by }) => signed_by))].join(', ');
  const isSigned = signers !== '';
  const proven: Claim[] = [];
  const not_proven: Claim[] = [];
  if (records > 0)
    proven.push({
      code: 'chain',
      text: `records 1 to ${records}: canonical form, schema, hash, and the link to the previous record${log === 'ledger' ? '; no run has two evidence records' : ''}`,
    });
  const extent = log === 'session' ? checkpoints.findLast(({ extent }) => extent !== null)?.extent : undefined;
  if (extent != null && anchored > 0 && isSigned)
    proven.push({
      code: 'session',
      text: `the gateway stated at ${extent.time} that the first ${extent.ledger_size} records of the ledger contain no other record of the session`,
    });
  if (extent != null)
    not_proven.push({
      code: 'later_runs',
      text: `that the session has no later run: compare ${extent.time} with the time of the export`,
    });
  if (knows_runs && fault === null)
    proven.push({
      code: 'ended_runs',
      text: 'every ended run in this runs-db has evidence, every evidence record has its run, and the last record matches the stored head',
    });
  proven.push(...signatureClaims(verified));
  if (anchored > 0 && isSigned)
    proven.push({
      code: 'as_signed',
      text: `records 1 to ${anchored} are as ${signers} signed them: none was changed, removed, added or moved since then`,
    });
  proven.push(...cosignedClaims(verified), ...timestampClaims(verified));
  if (anchored > 0 && !isSigned)
    not_proven.push({
      code: 'signature',
      text: `records 1 to ${anchored} match the checkpoint, but its signature was not checked: add --key`,
    });
  if (verdict !== 'broken' && records > anchored)
    not_proven.push({
      code: 'end',
      text: `${anchored === 0 ? 'that' : `for records ${anchored + 1} to ${records}, that`} the end is not truncated and the operator did not rewrite the chain: ${anchored === 0 ? 'add --checkpoint and --key' : 'use a newer checkpoint'}`,
    });
  if (operations !== null)
    not_proven.push({
      code: 'operations_written',
      text: 'that a gateway wrote the operations log: without the content key, this command can check only its chain. A gateway checks each record before it applies it',
    });
  not_proven.push({
    code: 'truth',
    text: 'that the records are true and complete: a ledger shows only whether records were changed after they were written',
  });
  return { proven, not_proven };
}

function cosignedClaims({ report, checkpoints }: Verified): readonly Claim[] {
  const cosigners = checkpoints.flatMap(({ size, cosigned_by }) =>
    size > report.anchored ? [] : cosigned_by.map(({ name, time }) => `${name} (${size} records, ${time})`),
  );
  if (cosigners.length === 0 || report.anchored === 0) return [];
  const text = `${cosigners.join(', ')} cosigned it: the operator showed each of them the same ledger, to which records were only added`;
  return [{ code: 'cosigned', text }];
}

function timestampClaims({ report, checkpoints }: Verified): readonly Claim[] {
  if (report.anchored === 0) return [];
  return checkpoints.flatMap(({ size, timestamp }) => {
    if (timestamp === null || size === 0 || size > report.anchored) return [];
    const { time, authority } = timestamp;
    return [
      {
        code: 'timestamp',
        text: `a checkpoint of ${counted(size)} existed at ${time}, according to the time stamp of ${printable(authority)}`,
      },
    ];
  });
}

/** What the signatures of passkeys prove. Without an operations log, it is unknown whose passkeys they are. */
function signatureClaims({ signatures, operations, fault }: Verified): readonly Claim[] {
  if (signatures === 0) return [];
  const text = `${signatures} decisions have a valid passkey signature for their run, content, reason and approver`;
  const registered = 'each passkey was registered to the approver at that time, according to the operations log';
  return [
    { code: 'passkey_signatures', text },
    ...(operations === null || fault !== null ? [] : [{ code: 'passkeys_registered', text: registered }]),
  ];
}
