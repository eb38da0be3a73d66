import { writeSync } from 'node:fs';
import { commitSealed, createRun, moveRun, sampleRun } from '@svc/sdk/testing';
import { openStore } from '../test-store.ts';

/** Starts and ends runs in the given folder until it is killed, and reports each acknowledged start and end. */
const store = await openStore(process.argv[2] ?? '');
/** Waits until the report is in the pipe, so that it is not lost with this process. */
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
