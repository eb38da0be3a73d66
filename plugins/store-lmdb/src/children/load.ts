import { createRun, moveRun, sampleRun, sealWinners } from '../test-runs.ts';
import { openStore } from '../test-store.ts';
import { say } from './protocol.ts';

const CALLERS = 16;

/** Commits without end to the folder named by its argument, several callers at once, and names each run once its evidence is on disk. */
const store = await openStore(process.argv[2] ?? '');

async function call(): Promise<never> {
  while (true) {
    const run = sampleRun();
    await store.commit([createRun(run), createRun(sampleRun())], () => []);
    const [outcome] = await store.commit([moveRun(run, 'completed')], sealWinners);
    if (outcome?.result !== 'committed' || outcome.evidence === null) throw new Error(`unexpected ${outcome?.result}`);
    say({ run_id: run.run_id, seq: outcome.evidence.seq, hash: outcome.evidence.hash });
  }
}

await Promise.all(Array.from({ length: CALLERS }, call));
