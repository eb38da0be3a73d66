import { type Counters, StoreError, withTimeout } from '@svc/contracts';

/** Less than a caller waits for a commit: where the store hangs, the run ends with the same 503 and no later. */
const MAX_WAIT_MS = 4_000;
/** Counters that fail where the store does not answer. A reservation that comes through after that lapses as one of a dead process does. */
export function boundedCounters(counters: Counters): Counters {
  const bounded = async <T>(work: Promise<T>): Promise<T> => {
    const outcome = await withTimeout(work, MAX_WAIT_MS);
    if (!outcome.done) throw new StoreError('UNREACHABLE', 'the store did not answer in time');
    return outcome.value;
  };
  return {
    reserve: (id, holds) => bounded(counters.reserve(id, holds)),
    read: (keys) => bounded(counters.read(keys)),
  };
}
