import { expect, it } from 'vitest';
import { newContainer, provide, token } from './container.ts';

it('makes a part on first use, and only once', () => {
  const part = token<object>('part');
  const container = newContainer();
  let made = 0;
  provide(container, part, () => {
    made += 1;
    return {};
  });
  expect(made).toBe(0);
  expect(container.resolve(part)).toBe(container.resolve(part));
  expect(made).toBe(1);
});

it('refuses a second registration of the same token, and names the token', () => {
  const part = token<{ from: string }>('part');
  const container = newContainer();
  provide(container, part, () => ({ from: 'the first' }));
  expect(() => provide(container, part, () => ({ from: 'the second' }))).toThrow('Symbol(part) is registered twice');
  expect(container.resolve(part)).toEqual({ from: 'the first' });
});

it('does not share parts between two servers', () => {
  const part = token<object>('part');
  const [one, other] = [newContainer(), newContainer()];
  for (const container of [one, other]) provide(container, part, () => ({}));
  expect(one.resolve(part)).not.toBe(other.resolve(part));
});
