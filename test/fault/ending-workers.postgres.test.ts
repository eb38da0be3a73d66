import { inject } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testEnding } from './ending-workers-scene.ts';

testEnding(() => temporaryDatabase(inject('postgres')));
