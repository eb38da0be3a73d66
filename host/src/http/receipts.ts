import type { RunOutcome } from '@svc/kernel';
import type { FastifyReply } from 'fastify';

/** Tells the run and, once it has ended, the ledger record that proves it; and of a paid failure, that trying again pays again. */
export function receipts({ row, error, paid }: Pick<RunOutcome, 'row' | 'error' | 'paid'>, reply: FastifyReply): void {
  if (error !== null && paid) reply.header('x-should-retry', 'false');
  reply.header('x-svc-run-id', row.run_id);
  if (row.evidence !== null) reply.header('x-svc-evidence', `${row.evidence.seq} ${row.evidence.hash}`);
}
