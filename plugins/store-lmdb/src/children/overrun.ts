import { constants } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fakeLogger } from '@svc/sdk/testing';
import { FreeSpace } from '../files/free-space.ts';
import { HeldFile } from '../files/held-file.ts';
import { Preallocation } from '../preallocation.ts';
import type { Environment } from '../tables/databases.ts';
import { openStore } from '../test-store.ts';
import { Writer } from '../writer.ts';
import { say } from './protocol.ts';

/** Makes a write fail in the folder given as the first argument, with the message given as the second, in LMDB's wording. Then reports the result. */
const [, , folder = '', message = ''] = process.argv;
await (await openStore(folder)).close();
const failure = Object.assign(new Error(message), { code: 28 });
const env = { childTransaction: () => Promise.reject(failure) } as unknown as Environment;
const logger = fakeLogger();
const file = new HeldFile(join(folder, 'data.mdb'), constants.O_WRONLY | constants.O_APPEND);
const space = new FreeSpace(folder, 0, { now: Date.now, monotonic: () => performance.now() });
const writer = new Writer({ env, space, files: [file], preallocation: new Preallocation(file, env, 0), folder, logger });
const told = new Promise<boolean>((resolve) => process.on('SIGTERM', () => resolve(true)));
const codes = await Promise.all([1, 2].map(() => writer.write(1, () => 0).catch(({ code }) => code)));
// A signal does not keep a process alive.
setInterval(() => {}, 1000);
await nextTurn();
// The exit code is set before the signal is sent.
say({ codes, ended: process.exitCode === 1 && (await told), lines: logger.lines });
process.exit();
