import { type Counters, StoreError, withTimeout } from '@svc/contracts';

/** Shorter than the longest time that a caller waits for a commit. So if the store hangs, the run ends no later, with the same 503. */
const MAX_WAIT_MS = 4_000;
/** Counters that fail if the store does not answer in time. A reservation that is made later expires, as after a crash. */
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
