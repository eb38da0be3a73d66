import type { Guard, HeavyWork } from '@svc/contracts';
import type { GuardPool } from '@svc/kernel/workers';

/** A guard with `scan`. */
export type Scanning = Guard & Required<Pick<Guard, 'scan'>>;

export function canScan(guard: Guard): guard is Scanning {
  return typeof guard.scan === 'function';
}

/** Heavy work of a guard outside of any run. */
export function workIn(pool: GuardPool, signal: () => AbortSignal): HeavyWork {
  return {
    runInWorker: (moduleUrl, input) =>
      pool.run({
        principal_id: '',
        moduleUrl,
        input,
        signal: signal(),
        admitted: true,
        resumed: () => undefined,
        suspended: () => undefined,
      }),
  };
}
