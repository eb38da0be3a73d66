import { type RunRow, StoreError } from '@svc/contracts';
import { type PlaceRecord, prepareRecord } from './prepare.ts';

/** The evidence of an ended run, ready to be appended to the chain. */
export function evidenceOf(row: RunRow, model_version: string | null, completed_at: string): PlaceRecord {
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
 * The JSON of the events in the evidence of a run, cut out: the record is canonical, so `events` is followed by `hash` and scalars. Neither
 * mark can stand in a string, where a quote is escaped.
 * @throws {StoreError} `DAMAGED` for a text without them
 */
export function eventsTextOf(evidence: string): string {
  const member = '"events":';
  const at = evidence.indexOf(`${member}[`);
  const end = evidence.lastIndexOf(',"hash":"');
  if (at < 0 || end < at) throw new StoreError('DAMAGED', 'evidence of a run has no events: run `svc ledger verify`');
  return evidence.slice(at + member.length, end);
}
