import type { RunOutcome } from '@svc/kernel';
import { unsupportedBy } from './unsupported-by.ts';

/** The receipts of an ended run, for the last frame of its stream. */
export function receiptsOf(
  outcome: Pick<RunOutcome, 'row' | 'completion' | 'events'> & Partial<Pick<RunOutcome, 'stop'>>,
): Record<string, unknown> {
  const { row, completion, stop = null } = outcome;
  const unsupported = unsupportedBy(outcome);
  const svc_left_out = completion?.svc_left_out ?? (stop === null ? leftOutBy(outcome) : undefined);
  return {
    svc_run_id: row.run_id,
    ...(row.evidence === null ? {} : { svc_evidence: `${row.evidence.seq} ${row.evidence.hash}` }),
    ...(svc_left_out === undefined ? {} : { svc_left_out }),
    ...(unsupported.length === 0 ? {} : { svc_unsupported: unsupported }),
  };
}

/** Fields that were removed from the answer. The call that gave the answer is the last one. */
function leftOutBy({ events }: Pick<RunOutcome, 'events'>): unknown {
  return events.findLast(({ event_type }) => event_type === 'provider_call')?.data.left_out;
}
