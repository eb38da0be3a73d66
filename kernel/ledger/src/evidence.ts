import { isObject, parseBody, type RecordParts, type RunRow, StoreError } from '@svc/contracts';
import { canonicalJson } from './canonical.ts';
import { prepareRecord } from './prepare.ts';

/** The evidence of an ended run, ready to be appended to the chain. */
export function evidenceOf(row: RunRow, model_version: string | null, completed_at: string): RecordParts {
  // In canonical order, like the events of a run, for the fast path of canonical.ts.
  return prepareRecord({
    approver: row.approver,
    ...(row.client !== undefined && { client: row.client }),
    completed_at,
    created_at: row.created_at,
    events: row.events,
    model_id: row.route,
    model_version,
    principal_id: row.principal_id,
    record_type: 'run_evidence',
    run_id: row.run_id,
    status: row.status,
    ...(row.user !== undefined && { user: row.user }),
  });
}

/** The canonical JSON of the events in the evidence of a run. @throws {StoreError} `DAMAGED` if the text has no events */
export function eventsTextOf(evidence: string): string {
  const record = parsed(evidence);
  if (isObject(record) && Array.isArray(record.events)) return canonicalJson(record.events);
  throw new StoreError('DAMAGED', 'the evidence of a run has no events: run `svc ledger verify`');
}

function parsed(json: string): unknown {
  try {
    return parseBody(json);
  } catch {
    return null;
  }
}
