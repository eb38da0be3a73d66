import { inject } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { testEnding } from './ending-workers-scene.ts';

// The ways that do not concern the store are tested over a folder.
testEnding(() => temporaryDatabase(inject('postgres')), [], ['close']);
