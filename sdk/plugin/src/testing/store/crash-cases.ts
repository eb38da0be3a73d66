import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { assertLoaded, assertNothingLost, assertSettles, type Left } from './crash-check.ts';
import { LOADED_RUNS, type Said } from './crash-plan.ts';
import type { CrashContext, StoreCases } from './fixture.ts';

const MAX_SAID = 300;

/** The lines that a process wrote before it was killed (after `enough` lines) or ended by itself. */
async function killedAfter(child: ChildProcess, enough: number): Promise<Said[]> {
  assert.present(child.stdout, 'a pipe as stdout of the process');
  const ended = new Promise<string | number | null>((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  const lines: Said[] = [];
  // A killed process may leave an incomplete line.
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.endsWith('}')) lines.push(JSON.parse(line));
    if (lines.length === enough) child.kill('SIGKILL');
  }
  const how = await ended;
  assert.ok(how === 'SIGKILL' || how === 0, 'the process to end with SIGKILL or 0', how);
  return lines;
}

/** Adds the moment of the kill to an error's message, so that a failure can be reproduced. */
async function atMoment<T>(moment: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw new Error(`killed ${moment}`, { cause: error });
  }
}

function leftBy(said: readonly Said[]): Left {
  const [began] = said;
  assert.ok(began?.said === 'began', 'the process to report that its store is open', began?.said);
  return { process: began.process, said };
}

export const crashCases: StoreCases<CrashContext> = {
  'keeps acknowledged commits and their evidence, and stays consistent, when killed repeatedly during commits': async ({
    start,
    reopen,
    rounds,
  }) => {
    const left: Left[] = [];
    let store: Store | null = null;
    for (let round = 0; round < rounds; round++) {
      const enough = randomInt(1, MAX_SAID);
      await store?.close();
      left.push(leftBy(await killedAfter(await start('commit'), enough)));
      const again = await reopen();
      store = again;
      await atMoment(`after ${enough} lines, round ${round}`, () => assertNothingLost(again, left));
    }
    assert.present(store, 'a store');
    await assertSettles(store, left);
  },

  'is complete or empty when killed during a load, and can be loaded again': async ({ start, reopen, rounds }) => {
    const lines = (3 * LOADED_RUNS) / 250;
    let store: Store | null = null;
    for (let loaded = false, round = 0; !loaded; round++) {
      // The last process may finish normally.
      const enough = round === rounds ? Number.POSITIVE_INFINITY : randomInt(1, lines + 2);
      await store?.close();
      const said = await killedAfter(await start('load'), enough);
      const again = await reopen();
      store = again;
      loaded = await atMoment(`after ${enough} lines of loading`, () => assertLoaded(again));
      if (said.some((line) => line.said === 'loaded')) assert.ok(loaded, 'the acknowledged load', 'an empty store');
    }
  },
};
