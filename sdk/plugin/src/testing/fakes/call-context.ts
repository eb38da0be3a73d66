import type { CallContext } from '@svc/contracts';

/** A provider's context of a call: the first of its run, which nobody gives up, with half a minute. */
export function fakeCallContext(overrides: Partial<CallContext> = {}): CallContext {
  return { run_id: 'run-1', attempt: 1, signal: new AbortController().signal, timeout_ms: 30_000, ...overrides };
}
