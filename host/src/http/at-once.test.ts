import { expect, it } from 'vitest';
import { AtOnce } from './at-once.ts';

it('refuses a second request of a principal during the first, and accepts it after the first, even if that failed', async () => {
  const turns = new AtOnce(1);
  const { promise, reject } = Promise.withResolvers<void>();
  const first = turns.run('ada', () => promise);
  await expect(turns.run('ada', expect.unreachable)).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  expect(await turns.run('bob', async () => 'sums')).toBe('sums');
  reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  expect(await turns.run('ada', async () => 'sums')).toBe('sums');
});

it('admits requests up to the limit, and the next one as soon as one ends', async () => {
  const turns = new AtOnce(3);
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const under_way = gates.map(({ promise }) => turns.run('ada', () => promise));
  await expect(turns.run('ada', expect.unreachable)).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  gates[1]?.resolve();
  await under_way[1];
  expect(await turns.run('ada', async () => 'next')).toBe('next');
  for (const { resolve } of gates) resolve();
  await Promise.all(under_way);
});
