import { type CrashWork, workUntilKilled } from '@svc/sdk/testing';
import { openStore } from '../test-store.ts';

/** Works on the folder given as the first argument, in the way given as the second, until it is killed. */
const WORKS: Readonly<Record<string, CrashWork>> = { commit: 'commit', load: 'load' };
const [, , folder = '', named = ''] = process.argv;
const work = WORKS[named];
if (work === undefined) throw new Error(`unknown work ${named}`);
await workUntilKilled(await openStore(folder), work);
