import type { RunOutcome } from '@svc/kernel';
import type { FastifyReply } from 'fastify';

/** Tells the run and, once it has ended, the ledger record that proves it. */
export function receipts({ row }: Pick<RunOutcome, 'row'>, reply: FastifyReply): void {
  reply.header('x-svc-run-id', row.run_id);
  if (row.evidence !== null) reply.header('x-svc-evidence', `${row.evidence.seq} ${row.evidence.hash}`);
}
