import type { CallContext } from '@svc/contracts';

/** A provider's call context: the first attempt of a run, never aborted, with a timeout of 30 seconds. */
export function fakeCallContext(overrides: Partial<CallContext> = {}): CallContext {
  return { run_id: 'run-1', attempt: 1, signal: new AbortController().signal, timeout_ms: 30_000, ...overrides };
}
