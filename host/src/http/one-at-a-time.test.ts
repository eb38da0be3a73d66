import { expect, it } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

it('refuses a principal another while one is under way, and goes on after it, also where it failed', async () => {
  const turns = new OneAtATime();
  const { promise, reject } = Promise.withResolvers<void>();
  const first = turns.run('ada', () => promise);
  await expect(turns.run('ada', expect.unreachable)).rejects.toMatchObject({ code: 'SVC-LIMIT-003' });
  expect(await turns.run('bob', async () => 'sums')).toBe('sums');
  reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  expect(await turns.run('ada', async () => 'sums')).toBe('sums');
});
