import { SvcError } from '@svc/contracts';

/** The end of an attempt whose answer did not fit into memory. No other provider is tried, because its answer would not fit either. */
export function noRoomForAnswer(beside: 'beside others' | 'alone') {
  const error =
    beside === 'alone'
      ? new SvcError('SVC-PROV-001', 'the answer is larger than server.max_bytes_in_flight; ask for a shorter one', {
          paid: true,
        })
      : new SvcError('SVC-BUSY-001', 'other answers in progress use all of server.max_bytes_in_flight; try again later', {
          retry_after_s: 1,
          paid: true,
        });
  return { kind: 'stopped', stop: { kind: 'failed', stage: 'execute', error } } as const;
}
