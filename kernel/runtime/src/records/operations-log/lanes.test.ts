import { expect, it } from 'vitest';
import { Lanes } from './lanes.ts';

function scene() {
  const lanes = new Lanes();
  const done: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const work = (name: string) => async (): Promise<string> => {
    done.push(`${name} begins`);
    await gate;
    done.push(name);
    return name;
  };
  return { lanes, done, work, open };
}

it('runs urgent work before all waiting work, and interrupts nothing that has begun', async () => {
  const { lanes, done, work, open } = scene();
  const all = [
    lanes.take('behind', work('a')),
    lanes.take('behind', work('b')),
    lanes.take('behind', work('c')),
    lanes.take('first', work('1')),
    lanes.take('first', work('2')),
  ];
  open();
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', '1', '2']);
  expect(done).toEqual(['a', '1', '2', 'b', 'c'].flatMap((name) => [`${name} begins`, name]));
});

it('a failed task does not affect the others', async () => {
  const { lanes, work, open } = scene();
  open();
  const refused = lanes.take('behind', () => Promise.reject(new Error('refused')));
  const next = lanes.take('behind', work('next'));
  await expect(refused).rejects.toThrow('refused');
  expect(await next).toBe('next');
  expect(await lanes.take('first', work('later'))).toBe('later');
});
