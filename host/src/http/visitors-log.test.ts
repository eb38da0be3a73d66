import { expect, it } from 'vitest';
import { type VisitorsLog, visitorsLog } from './visitors-log.ts';

const PLACE = { level: 0, index: 0, width: 256 } as const;
const REFUSED = { code: 'SVC-LIMIT-003' };

/** A log whose checkpoints, or whose other reads, wait for a promise. */
const logWith = (checkpoint: Promise<null>, others: Promise<null>): VisitorsLog => {
  const read = () => others as never;
  return visitorsLog({ tile: read, checkpoint: () => checkpoint as never, cosigned: read, stamped: read });
};

it('lets visitors read 16 parts of the log at once, and then again', async () => {
  const waiting = Promise.withResolvers<null>();
  const log = logWith(Promise.resolve(null), waiting.promise);
  const reads = Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? log.tile(PLACE) : log.cosigned()));
  for (const one of [log.tile(PLACE), log.cosigned(), log.stamped()]) await expect(one).rejects.toMatchObject(REFUSED);
  expect(await log.checkpoint()).toBeNull();
  waiting.resolve(null);
  await Promise.all(reads);
  expect(await log.cosigned()).toBeNull();
});

it('lets visitors read everything else while 16 checkpoints wait for a key', async () => {
  const waiting = Promise.withResolvers<null>();
  const log = logWith(waiting.promise, Promise.resolve(null));
  const checkpoints = Array.from({ length: 16 }, () => log.checkpoint());
  await expect(log.checkpoint()).rejects.toMatchObject(REFUSED);
  expect(await Promise.all([log.tile(PLACE), log.cosigned(), log.stamped()])).toEqual([null, null, null]);
  waiting.resolve(null);
  await Promise.all(checkpoints);
  expect(await log.checkpoint()).toBeNull();
});
