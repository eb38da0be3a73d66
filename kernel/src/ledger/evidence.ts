import type { RunRow } from '../contracts/index.ts';
import { type PlaceRecord, prepareRecord } from './prepare.ts';

/** The evidence of a run that ended, ready to be placed in the chain. */
export function evidenceOf(row: RunRow, model_version: string | null, completed_at: string): PlaceRecord {
  return prepareRecord({
    record_type: 'run_evidence',
    run_id: row.run_id,
    model_id: row.route,
    model_version,
    principal_id: row.principal_id,
    created_at: row.created_at,
    completed_at,
    status: row.status,
    events: row.events,
    approver: row.approver,
  });
}
