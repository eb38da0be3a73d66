import { errorMessage, isStoreError, type Store } from '@svc/contracts';
import { ownPlugins } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { makeStore } from '../compose/store.ts';
import type { RunsDb } from '../config/runs-db.ts';
import { CliError } from '../errors/cli-error.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { damageIn } from './damage.ts';
import type { Fault } from './ledger-words.ts';

/** A runs-db that is open for reading, or the damage that prevents this. */
export type OpenedRunsDb = { readonly store: Store; readonly fault: null } | { readonly store: null; readonly fault: Fault };

/** @throws {CliError} if it cannot be opened for a reason other than damage */
export async function openRunsDb(db: RunsDb): Promise<OpenedRunsDb> {
  const store = await makeStore(db, ownPlugins(), newHost(silentLogger));
  try {
    await store.open('read');
    return { store, fault: null };
  } catch (error) {
    const fault = damageIn(error);
    if (fault !== null) return { store: null, fault };
    if (isStoreError(error) && error.code === 'HELD')
      throw new CliError(`${error.message}; or verify through the running server: give its URL, and a key in SVC_KEY`);
    throw new CliError(errorMessage(error, 'the runs-db cannot be opened'));
  }
}
