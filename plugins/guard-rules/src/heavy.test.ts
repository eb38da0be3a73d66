import { brokenWork, fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import rules from './index.ts';
import type { Options } from './options.ts';

const options: Options = {
  stream: 'post',
  rules: [
    { name: 'acct', match: '\\b\\d{4}-\\d{4}\\b', verdict: 'sanitize' },
    { name: 'endless', match: 'a\\d+z', verdict: 'block' },
  ],
};
const guard = rules.create(options, fakePluginDeps());
const text = `${'the boats came in from the north '.repeat(2000)}1234-5678 a111z`;

const segmentsOf = (...texts: string[]) => fakeSegments('ingress', texts);

test('a long text is judged in a thread, with the same result', async () => {
  expect(await guard.check(segmentsOf(text), fakeGuardContext())).toEqual({
    verdict: 'block',
    code: 'endless',
    edits: [{ segment: 0, start: 66_000, end: 66_009, replacement: '<ACCT>' }],
    findings: [
      { entity_type: 'acct', count: 1 },
      { entity_type: 'endless', count: 1 },
    ],
  });
});

test.each(Object.entries(brokenWork))('a thread that %s fails the guard', async (_, work) => {
  await expect((async () => guard.check(segmentsOf(text), fakeGuardContext(work)))()).rejects.toThrow();
  await expect((async () => guard.scan?.(text, work))()).rejects.toThrow();
});

test.each(['rejects', 'throws', 'answers null', 'answers for fewer characters'])(
  'a thread that %s fails a stream whose rules need the end',
  async (how) => {
    const stream = guard.stream?.open(fakeGuardContext({ ...brokenWork[how], stage: 'egress' }));
    await stream?.push({ choice: 0, path: 'content', text });
    await expect((async () => stream?.end({ choice: 0, path: 'content' }))()).rejects.toThrow();
  },
);

test('a stream that was cut short is also judged in a thread', async () => {
  const stream = guard.stream?.open(fakeGuardContext({ stage: 'egress' }));
  await stream?.push({ choice: 0, path: 'content', text });
  expect(await stream?.finish()).toMatchObject({ verdict: 'block', code: 'endless' });
});

test('a small text needs no thread', async () => {
  expect(await guard.check(segmentsOf('1234-5678'), fakeGuardContext(brokenWork.rejects))).toMatchObject({ verdict: 'sanitize' });
});

test('a small text that takes long goes to a thread, because a pattern may make many long searches', async () => {
  let time = 0;
  const clock = { now: () => 0, monotonic: () => (time += 1000) };
  const several = segmentsOf('1234-5678 '.repeat(5));
  const slow = rules.create(options, fakePluginDeps({ clock }));
  expect(await slow.check(several, fakeGuardContext())).toMatchObject({ verdict: 'sanitize' });
  await expect(slow.check(several, fakeGuardContext(brokenWork.rejects))).rejects.toThrow();
});

test('a stream that arrives in one piece shares the event loop', async () => {
  const window = rules.create(
    { rules: [{ name: 'digit', match: '[0-9]', verdict: 'sanitize' }] },
    fakePluginDeps({ clock: { now: () => 0, monotonic: () => performance.now() } }),
  );
  const stream = window.stream?.open(fakeGuardContext({ stage: 'egress' }));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    ticking = setImmediate(count);
  };
  let ticking = setImmediate(count);
  await stream?.push({ choice: 0, path: 'content', text: '1 '.repeat(200_000) });
  clearImmediate(ticking);
  expect(turns).toBeGreaterThan(3);
});

test('too many findings fail the guard, and fewer are returned', async () => {
  const each = rules.create({ rules: [{ name: 'digit', match: '[0-9]', verdict: 'sanitize' }] }, fakePluginDeps());
  await expect((async () => each.check(segmentsOf('1'.repeat(1_000_001)), fakeGuardContext()))()).rejects.toThrow();
  expect((await each.check(segmentsOf('1'.repeat(50_000)), fakeGuardContext())).edits).toHaveLength(50_000);
});
