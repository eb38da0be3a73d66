import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { WitnessState } from './witness-state.ts';

it('is in a folder of its owner, which is locked until it is closed', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'svc-witness-state-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'state');
  const state = await WitnessState.open(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await expect(WitnessState.open(folder)).rejects.toMatchObject({ name: 'StoreError', code: 'HELD' });
  state.close();
  expect(await readdir(folder)).toEqual([]);
  (await WitnessState.open(folder)).close();
});
