import type { RunOutcome } from '@svc/kernel';
import type { FastifyReply } from 'fastify';

/** Parts of the request that the provider of the answer does not support, as names and paths of the chat format. */
export function unsupportedBy({ events }: Pick<RunOutcome, 'events'>): readonly string[] {
  const answered = events.findLast(({ event_type, data }) => event_type === 'provider_call' && data.outcome === 'answered');
  const names = answered?.data.unsupported;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** Lists in a header the parts of the request that no model gets. */
export function reportUnsupported(reply: FastifyReply, names: readonly string[]): void {
  if (names.length > 0) reply.header('x-svc-unsupported', [...new Set(names)].join(', '));
}
