import { expect, it } from 'vitest';
import { type VisitorsLog, visitorsLog } from './visitors-log.ts';

it('lets visitors read 16 parts of the log at once, and then again', async () => {
  const waiting = Promise.withResolvers<null>();
  const read = () => waiting.promise as never;
  const log = visitorsLog({ tile: read, checkpoint: read, cosigned: read, stamped: read } as VisitorsLog);
  const place = { level: 0, index: 0, width: 256 };
  const reads = Array.from({ length: 16 }, (_, n) => (n % 2 === 0 ? log.tile(place) : log.checkpoint()));
  for (const one of [log.tile(place), log.checkpoint(), log.cosigned(), log.stamped()])
    await expect(one).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  waiting.resolve(null);
  await Promise.all(reads);
  expect(await log.cosigned()).toBeNull();
});
