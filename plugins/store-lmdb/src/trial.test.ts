import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

test('an empty commit still writes to disk, and leaves no space used', async () => {
  const { folder, remove } = temporaryFolder();
  const store = await openStore(folder);
  const onDisk = () =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'data.mdb')))
      .digest('hex');
  const size = () => readFileSync(join(folder, 'data.mdb')).length;
  const seen = new Set([onDisk()]);
  for (let n = 0; n < 3; n += 1) {
    await store.commit([], []);
    seen.add(onDisk());
  }
  expect(seen.size).toBe(4);
  const before = size();
  for (let n = 0; n < 20; n += 1) await store.commit([], []);
  expect(size() - before).toBeLessThan(1_000_000);
  await store.close();
  remove();
});
