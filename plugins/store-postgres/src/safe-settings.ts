import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import type pg from 'pg';

interface Settings {
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly encoding: string;
  readonly standby: boolean;
}

/**
 * Rejects settings with which an acknowledged commit could be lost, or text could be read back differently.
 * @throws {StoreError} `OPEN`
 */
export async function refuseUnsafe(client: pg.ClientBase): Promise<Settings> {
  const { rows } = await client.query<Settings>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
            current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('synchronous_standby_names') AS synchronous_standby_names,
            current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error('the server returned no settings');
  const { fsync, synchronous_commit, encoding, standby } = found;
  const refuse = (what: string, remedy: string): never => {
    throw new StoreError('OPEN', `the database cannot keep evidence: ${what}; ${remedy}`);
  };
  if (fsync === 'off') refuse('fsync is off', 'turn it on in postgresql.conf');
  if (synchronous_commit === 'off') refuse('synchronous_commit is off', 'ALTER ROLE … SET synchronous_commit = on');
  if (encoding !== 'UTF8') refuse(`its encoding is ${encoding}`, 'use a database with ENCODING UTF8');
  if (standby) refuse('it is a standby server', 'connect to the primary');
  return found;
}

/** Warns about settings that are safe only on some machines. */
export function warnOfRisks({ full_page_writes, synchronous_commit, synchronous_standby_names }: Settings, logger: Logger): void {
  if (full_page_writes === 'off') logger.warn({ event: 'store_may_lose', setting: 'full_page_writes' });
  if (synchronous_standby_names !== '' && synchronous_commit === 'local')
    logger.warn({ event: 'store_may_lose', setting: 'synchronous_commit' });
}
