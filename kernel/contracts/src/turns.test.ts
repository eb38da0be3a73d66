import { expect, test } from 'vitest';
import { inFewTurns, inTurns } from './steps.ts';
import { Turns } from './turns.ts';

test('a turn is over after a slice of time, and the next begins anew', async () => {
  let time = 0;
  const turns = new Turns(undefined, { monotonic: () => time });
  expect(turns.isOver).toBe(false);
  time += 5;
  expect(turns.isOver).toBe(true);
  await turns.next();
  expect(turns.isOver).toBe(false);
});

test('work that was given up ends with its turn', async () => {
  await expect(new Turns({ signal: AbortSignal.abort() }).next()).rejects.toMatchObject({ name: 'AbortError' });
});

test('of all that wait, one goes on in each iteration of the loop', async () => {
  let iteration = 0;
  const count = (): void => {
    iteration += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  const at: number[] = [];
  const work = async (): Promise<void> => {
    await new Turns().next();
    at.push(iteration);
  };
  await Promise.all(Array.from({ length: 20 }, work));
  clearImmediate(ticking);
  expect(new Set(at).size).toBe(20);
});

test('principals have their turns one after another, however much each has to do', async () => {
  const order: string[] = [];
  const work = async (principal_id: string, count: number): Promise<void> => {
    const turns = new Turns({ principal_id });
    for (let at = 0; at < count; at += 1) {
      await turns.next();
      order.push(principal_id);
    }
  };
  await Promise.all([...Array.from({ length: 20 }, () => work('heavy', 2)), work('neighbour', 3)]);
  // The neighbour waits for at most one turn of the heavy principal.
  expect(order.slice(0, 6)).toEqual(['heavy', 'neighbour', 'heavy', 'neighbour', 'heavy', 'neighbour']);
});

function* three(): Generator<void, string> {
  yield;
  yield;
  yield;
  return 'done';
}

test('work in steps is done in turns, or given up after some', async () => {
  let time = 0;
  const turns = new Turns(undefined, { monotonic: () => (time += 5) });
  expect(await inTurns(three(), turns)).toBe('done');
  expect(await inFewTurns(three(), turns, 4)).toEqual({ value: 'done' });
  expect(await inFewTurns(three(), turns, 3)).toBeNull();
});
