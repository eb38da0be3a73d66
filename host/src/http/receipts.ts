import type { RunOutcome } from '@svc/kernel';
import { leftOutOf } from '@svc/runtime/content';
import type { FastifyReply } from 'fastify';

type ReportedOutcome = Pick<RunOutcome, 'row' | 'error' | 'paid'> & Partial<Pick<RunOutcome, 'stop' | 'completion'>>;

/**
 * Headers for an outcome: the run; its ledger record, if it has ended; the fields that were removed from the answer; for a stop, when a retry may
 * succeed; and for a billed failure, that a retry would be billed again.
 */
export function receipts({ row, error, paid, stop, completion }: ReportedOutcome, reply: FastifyReply): void {
  if (error !== null && paid) reply.header('x-should-retry', 'false');
  reply.header('x-svc-run-id', row.run_id);
  if (row.evidence !== null) reply.header('x-svc-evidence', `${row.evidence.seq} ${row.evidence.hash}`);
  const left_out = leftOutOf(completion ?? null);
  if (left_out.length > 0) reply.header('x-svc-left-out', left_out.join(', '));
  const retry_at = stop?.hint?.retry_at;
  if (retry_at !== undefined) reply.header('x-svc-retry-at', new Date(retry_at).toISOString());
}
