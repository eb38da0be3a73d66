import { expect, it } from 'vitest';
import { SerialByName } from './serial-by-name.ts';

it('runs tasks of the same name in order, even after a failure, and does not delay other names', async () => {
  const turns = new SerialByName();
  const done: string[] = [];
  const { promise: gate, reject } = Promise.withResolvers<void>();
  const first = turns.take('run', () => gate);
  const second = turns.take('run', async () => done.push('second'));
  const third = turns.take('run', async () => done.push('third'));
  await turns.take('other', async () => done.push('other'));
  expect(done).toEqual(['other']);
  reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await Promise.all([second, third]);
  expect(done).toEqual(['other', 'second', 'third']);
  expect(await turns.take('run', async () => 'again')).toBe('again');
});
