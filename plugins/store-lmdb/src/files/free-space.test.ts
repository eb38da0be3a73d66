import { statfsSync } from 'node:fs';
import { fakeClock } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test-store.ts';
import { defaultReserve, FreeSpace } from './free-space.ts';

test('refuses if less than the reserve is free, and checks again each time until there is more', () => {
  const { folder, remove } = temporaryFolder();
  const space = new FreeSpace(folder, Number.MAX_SAFE_INTEGER, fakeClock());
  expect(() => space.take(1)).toThrow(expect.objectContaining({ code: 'FULL', message: expect.stringContaining(folder) }));
  expect(() => space.take(1)).toThrow(expect.objectContaining({ code: 'FULL' }));
  remove();
  expect(() => space.take(1)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

// The check of the disk shows that the folder is gone.
test('checks once a second, and again after an eighth of the reserve', () => {
  const { folder, remove } = temporaryFolder();
  const clock = fakeClock();
  const space = new FreeSpace(folder, 8000, clock);
  space.take(1);
  remove();
  clock.advance(999);
  space.take(900);
  expect(() => space.take(100)).toThrow(expect.objectContaining({ code: 'ENOENT' }));

  const again = temporaryFolder();
  const second = new FreeSpace(again.folder, 8000, clock);
  second.take(1);
  again.remove();
  clock.advance(1000);
  expect(() => second.take(1)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('checks nothing with a reserve of 0', () => {
  const { folder, remove } = temporaryFolder();
  remove();
  new FreeSpace(folder, 0, fakeClock()).take(1e15);
});

test('the default reserve is 64 MiB, and a quarter of a small disk', () => {
  const { folder, remove } = temporaryFolder();
  const { blocks, bsize } = statfsSync(folder);
  expect(defaultReserve(folder)).toBe(Math.min(64 << 20, Math.floor((blocks * bsize) / 4)));
  remove();
});
