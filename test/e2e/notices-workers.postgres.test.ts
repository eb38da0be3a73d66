import { inject } from 'vitest';
import { sql, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testNotices } from './notices-workers-scene.ts';

testNotices(
  () => temporaryDatabase(inject('postgres')),
  async ({ url }) => void (await sql(url, "UPDATE svc.lease SET expires_at = clock_timestamp() WHERE name = 'notices/hook'")),
);
