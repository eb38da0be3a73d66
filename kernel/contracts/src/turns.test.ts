import { expect, test } from 'vitest';
import { inFewTurns, inTurns } from './steps.ts';
import { Turns } from './turns.ts';

test('a turn ends after a slice of time, and the next one begins', async () => {
  let time = 0;
  const turns = new Turns(undefined, { monotonic: () => time });
  expect(turns.isOver).toBe(false);
  time += 5;
  expect(turns.isOver).toBe(true);
  await turns.next();
  expect(turns.isOver).toBe(false);
});

test('aborted work ends with its turn', async () => {
  await expect(new Turns({ signal: AbortSignal.abort() }).next()).rejects.toMatchObject({ name: 'AbortError' });
});

test('only one of all waiting tasks continues in each iteration of the event loop', async () => {
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

test('principals take turns, however much work each of them has', async () => {
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

test('work in steps takes turns, and can be aborted after some of them', async () => {
  let time = 0;
  const turns = new Turns(undefined, { monotonic: () => (time += 5) });
  expect(await inTurns(three(), turns)).toBe('done');
  expect(await inFewTurns(three(), turns, 4)).toEqual({ value: 'done' });
  expect(await inFewTurns(three(), turns, 3)).toBeNull();
});
