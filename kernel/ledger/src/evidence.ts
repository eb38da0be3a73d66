import type { RunRow } from '@svc/contracts';
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
