import { inject } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testNotices } from './notices-workers-scene.ts';

testNotices(() => temporaryDatabase(inject('postgres')));
