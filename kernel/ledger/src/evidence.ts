import { type RecordParts, type RunRow, StoreError } from '@svc/contracts';
import { memberText } from './json-member.ts';
import { prepareRecord } from './prepare.ts';

/** The evidence of an ended run, ready to be appended to the chain. */
export function evidenceOf(row: RunRow, model_version: string | null, completed_at: string): RecordParts {
  // In canonical order, like the events of a run, for the fast path of canonical.ts.
  return prepareRecord({
    approver: row.approver,
    completed_at,
    created_at: row.created_at,
    events: row.events,
    model_id: row.route,
    model_version,
    principal_id: row.principal_id,
    record_type: 'run_evidence',
    run_id: row.run_id,
    status: row.status,
  });
}

/**
 * The JSON of the events in the evidence of a run, cut out by the record's structure: fields that a release adds may stand anywhere.
 * @throws {StoreError} `DAMAGED` for a text without them
 */
export function eventsTextOf(evidence: string): string {
  const events = memberText(evidence, 'events');
  if (events?.startsWith('[')) return events;
  throw new StoreError('DAMAGED', 'evidence of a run has no events: run `svc ledger verify`');
}
