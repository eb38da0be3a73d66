import { expect, it } from 'vitest';
import { Closing } from './closing.ts';

it('names a part that does not close, although another one of the same name has', async () => {
  const closing = new Closing(60_000);
  const hanging = closing.end('exporter', 10, () => new Promise(() => undefined));
  await closing.end('exporter', 10_000, () => undefined);
  await hanging;
  expect(closing.left).toEqual(['exporter']);
});

it('names the parts that fail to close or do not close in time, and no others', async () => {
  const closing = new Closing(60_000);
  const late = Promise.withResolvers<void>();
  await closing.end('quick', 10_000, () => undefined);
  await closing.end('late', 10, () => late.promise);
  await closing.end('hanging', 10, () => new Promise(() => undefined));
  await closing.end('failing', 10_000, () => Promise.reject(new Error('no')));
  await closing.end('throwing', 10_000, () => {
    throw new Error('no');
  });
  expect(closing.left).toEqual(['late', 'hanging', 'failing', 'throwing']);
  late.resolve();
  await late.promise;
  await new Promise(setImmediate);
  expect(closing.left).toEqual(['hanging', 'failing', 'throwing']);
});

it('closes all parts, together within the whole time', async () => {
  const closing = new Closing(20);
  const begun: string[] = [];
  for (const part of ['one', 'two', 'three']) {
    await closing.end(part, 60_000, () => {
      begun.push(part);
      return new Promise(() => undefined);
    });
  }
  expect(begun).toEqual(['one', 'two', 'three']);
  expect(closing.left).toEqual(begun);
});
