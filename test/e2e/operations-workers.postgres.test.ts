import { inject } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testOperations } from './operations-workers-scene.ts';

testOperations(() => temporaryDatabase(inject('postgres')));
