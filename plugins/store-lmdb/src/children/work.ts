import { writeSync } from 'node:fs';
import { commitSealed, createRun, moveRun, sampleRun } from '@svc/sdk/testing';
import { openStore } from '../test-store.ts';

/** Starts and ends runs in the folder named by its argument until it is killed, and says of each what is acknowledged. */
const store = await openStore(process.argv[2] ?? '');
/** Waits until it is in the pipe: a report must not be lost with this process. */
const tell = (what: 'started' | 'ended', run_id: string): void => {
  writeSync(1, `${JSON.stringify({ what, run_id })}\n`);
};

async function client(): Promise<never> {
  for (;;) {
    const run = sampleRun({ status: 'running' });
    await store.commit([createRun(run)], []);
    tell('started', run.run_id);
    await commitSealed(store, [moveRun(run, 'completed')]);
    tell('ended', run.run_id);
  }
}

await Promise.all(Array.from({ length: 4 }, client));
