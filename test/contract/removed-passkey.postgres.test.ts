import { afterAll, beforeAll, inject } from 'vitest';
import { openStore, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testRemovedPasskey } from './removed-passkey-scene.ts';

let database: Awaited<ReturnType<typeof temporaryDatabase>>;
beforeAll(async () => {
  database = await temporaryDatabase(inject('postgres'));
});
afterAll(() => database.remove());

testRemovedPasskey(() => openStore(database.url));
