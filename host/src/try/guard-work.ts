import type { Guard, HeavyWork } from '@svc/contracts';
import type { GuardPool } from '@svc/kernel/workers';
import { CliError } from '../errors/cli-error.ts';

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

/** Starts the guard of a pack. @throws {CliError} */
export async function startGuard({ name, guard }: { readonly name: string; readonly guard: Guard }): Promise<void> {
  try {
    await guard.start?.();
  } catch (error) {
    throw new CliError(`the guard of pack ${name} cannot start: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }
}
