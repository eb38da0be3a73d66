import { expect, test } from 'vitest';
import { fakeGuardContext } from './guard-context.ts';

const moduleUrl = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
const { runInWorker } = fakeGuardContext();

test('heavy work runs in another thread, structured-cloned', async () => {
  const source = `
    import { isMainThread } from 'node:worker_threads';
    export default (input) => [isMainThread, input.get('a') + 1];
  `;
  expect(await runInWorker(moduleUrl(source), new Map([['a', 1]]))).toEqual([false, 2]);
});

test.each([
  ['throws', 'export default () => { throw new Error("what it was given") }'],
  ['has no default function', 'export default 1'],
  ['ends its thread', 'export default () => process.exit(0)'],
])('a task that %s is rejected, and the next one is served', async (_, source) => {
  await expect(runInWorker(moduleUrl(source), null)).rejects.toThrow(/^the (task|thread) (failed|ended)$/);
  expect(await runInWorker(moduleUrl('export default (n) => 2 * n'), 4)).toBe(8);
});
