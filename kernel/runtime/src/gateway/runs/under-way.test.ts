import { expect, test } from 'vitest';
import { UnderWay } from './under-way.ts';

test('ends after all tasks that were running, failed or not, but not after later ones', async () => {
  const under_way = new UnderWay();
  const [first, second, later] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const seen: string[] = [];
  for (const work of [first, second]) void under_way.during(work?.promise ?? Promise.resolve()).catch(() => undefined);
  const ended = under_way.ended().then(() => seen.push('ended'));
  first?.resolve();
  await first?.promise;
  expect(seen).toEqual([]);
  seen.push('second');
  second?.reject(new Error('it failed'));
  await ended;
  expect(seen).toEqual(['second', 'ended']);
  void under_way.during(later?.promise ?? Promise.resolve());
});

test('also counts tasks that were being prepared and then began', async () => {
  const under_way = new UnderWay();
  const prepared = Promise.withResolvers<void>();
  const run = Promise.withResolvers<void>();
  const seen: string[] = [];
  const begun = (async () => {
    await under_way.during(prepared.promise);
    await under_way.during(run.promise);
    seen.push('run');
  })();
  const ended = under_way.ended().then(() => seen.push('ended'));
  prepared.resolve();
  await prepared.promise;
  run.resolve();
  await Promise.all([begun, ended]);
  expect(seen).toEqual(['run', 'ended']);
});
