import { commitSealed, createRun, fakeLogger, sampleRun, verifiedChain } from '@svc/sdk/testing';
import type { LmdbStore } from '../lmdb-store.ts';
import { openStore } from '../test-store.ts';
import { say } from './protocol.ts';

/** Commits to the given folder until the system refuses to write (because of a limit on file size), then reports what the store does. */
const logger = fakeLogger();
const unhandled: string[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)));
const store = await openStore(process.argv[2] ?? '', undefined, logger);

async function commitOne(target: LmdbStore): Promise<string> {
  try {
    await commitSealed(target, [createRun(sampleRun({ principal_id: 'p'.repeat(400) }))]);
    return 'committed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

const outcomes = new Map<string, number>();
const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
while (!outcomes.has('STOPPED')) (await Promise.all(Array.from({ length: 8 }, () => commitOne(store)))).forEach(count);
const committed = outcomes.get('committed') ?? 0;
const later = [await commitOne(store), await store.writeMeta('key', null, 'value').catch((error) => error.code)];
const readable = (await verifiedChain(store)).length;
await store.close();
say({ committed, outcomes: [...outcomes.keys()].sort(), later, readable, lines: logger.lines, unhandled });
