import { brokenWork, fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import secrets from './index.ts';
import { DEFAULTS } from './samples.ts';

const guard = secrets.create(DEFAULTS, fakePluginDeps());
const key = `svc-${'0a'.repeat(32)}`;
const text = `${'the boats came in from the north '.repeat(2000)}${key} `;

const segmentsOf = (...texts: string[]) => fakeSegments('ingress', texts);

test('a long text is searched in a thread, with the same result', async () => {
  const { verdict, edits } = await guard.check(segmentsOf(text, 'hello'), fakeGuardContext());
  expect({ verdict, edits }).toEqual({
    verdict: 'sanitize',
    edits: [{ segment: 0, start: text.length - key.length - 1, end: text.length - 1, replacement: '<SVC_KEY>' }],
  });
});

test.each(Object.entries(brokenWork))('a thread that %s fails the guard', async (_, work) => {
  await expect((async () => guard.check(segmentsOf(text), fakeGuardContext(work)))()).rejects.toThrow();
  await expect((async () => guard.scan?.(text, work))()).rejects.toThrow();
  const stream = guard.stream?.open(fakeGuardContext({ ...work, stage: 'egress' }));
  await expect((async () => stream?.complete(segmentsOf(text)))()).rejects.toThrow();
});

test('a small text needs no thread', async () => {
  const { verdict } = await guard.check(segmentsOf(`my key ${key}`), fakeGuardContext(brokenWork.rejects));
  expect(verdict).toBe('sanitize');
});

test('a secret that looks like thousands counts as one', async () => {
  const flood = 'token='.repeat(100_000);
  const { edits } = await guard.check(segmentsOf(flood), fakeGuardContext());
  expect(edits).toEqual([{ segment: 0, start: 6, end: flood.length, replacement: '<SECRET>' }]);
});

test('a stream that arrives in one piece shares the event loop', async () => {
  const stream = guard.stream?.open(fakeGuardContext({ stage: 'egress' }));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  await stream?.push({ choice: 0, path: 'content', text: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789 '.repeat(50_000) });
  clearImmediate(ticking);
  expect(turns).toBeGreaterThan(3);
});
