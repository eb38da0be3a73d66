import { type CrashWork, workUntilKilled } from '@svc/sdk/testing';
import { openStore } from '../test-database.ts';

/** Works on the database given as the first argument, in the way given as the second, until it is killed. */
const WORKS: Readonly<Record<string, CrashWork>> = { commit: 'commit', load: 'load' };
const [, , url = '', named = ''] = process.argv;
const work = WORKS[named];
if (work === undefined) throw new Error(`unknown kind of work: ${named}`);
await workUntilKilled(await openStore(url), work);
