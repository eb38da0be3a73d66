import type { LedgerFault, LedgerReport } from '@svc/kernel/proof';
import type { KeptCheckpoint, Verdict } from './ledger-keys.ts';
import { styled } from './terminal.ts';

/** What is wrong: a record, or that a run of the runs-db ended and has no evidence. */
export type Fault = LedgerFault | { readonly why: 'no_evidence'; readonly run_id: string };

export interface Verified {
  readonly verdict: Verdict;
  readonly report: LedgerReport;
  readonly checkpoints: readonly KeptCheckpoint[];
  /** The source also knows its runs, and they were compared. */
  readonly knows_runs: boolean;
  readonly fault: Fault | null;
}

/** Something that was proven, or was not: a code for scripts, a sentence for people. */
interface Claim {
  readonly code: string;
  readonly text: string;
}

export function asJson(verified: Verified): string {
  const { verdict, report, checkpoints, fault } = verified;
  const { proven, not_proven } = claims(verified);
  const said = {
    verdict,
    records: report.records,
    evidence: report.evidence,
    head: report.head,
    root: report.root.toString('base64'),
    anchored: report.anchored,
    checkpoints: checkpoints.map(({ file, origin, size, signed_by }) => ({ file, origin, size, signed_by })),
    fault,
    proven: proven.map(({ code }) => code),
    not_proven: not_proven.map(({ code }) => code),
  };
  return `${JSON.stringify(said, null, 2)}\n`;
}

export function asText(verified: Verified): string {
  const { proven, not_proven } = claims(verified);
  const list = (title: string, of: readonly Claim[]) =>
    of.length === 0 ? [] : [styled('bold', title), ...of.map(({ text }) => `- ${text}`)];
  return `${[headline(verified), ...list('proven:', proven), ...list('not proven:', not_proven)].join('\n')}\n`;
}

function headline({ verdict, report, fault }: Verified): string {
  const { records, head, root, evidence } = report;
  const whole = `${records} records (${evidence} of runs), head ${head}, root ${root.toString('base64')}`;
  if (fault !== null)
    return `${styled('red', `BROKEN ${placeOf(fault)}`)}: ${WHY[fault.why]}. ${records} records are whole by themselves.`;
  return verdict === 'anchored'
    ? `${styled('green', 'whole, and as signed')}: ${whole}`
    : `${styled('yellow', 'whole, but SELF-ATTESTED ONLY')}: ${whole}`;
}

function placeOf(fault: Fault): string {
  if (fault.why === 'no_evidence') return `at run ${fault.run_id}`;
  return fault.seq === fault.through ? `at seq ${fault.seq}` : `somewhere from seq ${fault.seq} to ${fault.through}`;
}

const WHY: Readonly<Record<Fault['why'], string>> = {
  not_json: 'it is not JSON in UTF-8 (not_json)',
  not_canonical: 'it is not in canonical form, RFC 8785 (not_canonical)',
  wrong_seq: 'another seq belongs here: a record is missing, stands twice or was moved (wrong_seq)',
  wrong_prev_hash: 'it does not link to the record before it (wrong_prev_hash)',
  wrong_hash: 'it was changed: its hash is not that of its bytes (wrong_hash)',
  wrong_schema: 'it is no record of the ledger: a field is missing or of another kind (wrong_schema)',
  second_evidence: 'its run has evidence before it already (second_evidence)',
  cut_off:
    'the ledger ends before it, but a checkpoint has more records; whether those that are there are the signed ones cannot be told (cut_off)',
  not_as_signed: 'all links hold, but these are not the records of the checkpoint: they were written anew (not_as_signed)',
  no_evidence: 'it has ended, and the ledger has no evidence of it (no_evidence)',
};

function claims(verified: Verified): { proven: readonly Claim[]; not_proven: readonly Claim[] } {
  const { report, checkpoints, verdict, fault, knows_runs } = verified;
  const { records, anchored } = report;
  const signers = [...new Set(checkpoints.flatMap(({ signed_by }) => signed_by))].join(', ');
  const isSigned = signers !== '';
  const proven: Claim[] = [];
  const not_proven: Claim[] = [];
  if (records > 0)
    proven.push({
      code: 'chain',
      text: `records 1 to ${records}: canonical form, schema, hash, and the link to the record before; no run has two evidence records`,
    });
  if (knows_runs && fault === null)
    proven.push({ code: 'ended_runs', text: 'every run of this runs-db that ended has its evidence' });
  if (anchored > 0 && isSigned)
    proven.push({
      code: 'as_signed',
      text: `records 1 to ${anchored} are those that ${signers} signed: none was changed, left out, added or moved since`,
    });
  if (anchored > 0 && !isSigned)
    not_proven.push({
      code: 'signature',
      text: `records 1 to ${anchored} are those of the checkpoint, but who signed it was not checked: give --key`,
    });
  if (verdict !== 'broken' && records > anchored)
    not_proven.push({
      code: 'end',
      text: `${anchored === 0 ? 'that' : `of records ${anchored + 1} to ${records}: that`} none was cut off at the end, and that whoever holds the ledger did not write them all anew: ${anchored === 0 ? 'give --checkpoint and --key' : 'a newer checkpoint shows it'}`,
    });
  not_proven.push({
    code: 'truth',
    text: 'that what happened was recorded, and truly: a ledger shows what was written, and when it was changed',
  });
  return { proven, not_proven };
}
