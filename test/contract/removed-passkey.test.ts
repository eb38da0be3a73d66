import { afterAll } from 'vitest';
import { openStore, temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';
import { testRemovedPasskey } from './removed-passkey-scene.ts';

const { folder, remove } = temporaryFolder();
afterAll(() => remove());

testRemovedPasskey(() => openStore(folder));
