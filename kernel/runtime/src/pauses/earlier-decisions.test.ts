import { expect, it } from 'vitest';
import { KeyTree } from '../content/key-tree.ts';
import { TestMetaStore } from '../content/test-meta-store.ts';
import { handClock } from '../test-parts.ts';
import { EarlierDecisions, type MadeDecision } from './earlier-decisions.ts';

const MINUTE = 60_000;
const EVERYONE = (): boolean => true;
const [KEY, NEAR, FAR] = ['ab01', 'ab02', 'cd01'];
const made = (decision: 'approved' | 'denied', run_id = 'run-1'): MadeDecision => ({
  run_id,
  decision,
  principal_id: 'bob',
  at: '2026-11-26T10:00:00.000Z',
  digest: 'sha256:0',
});

/** Two processes with one store. */
function scene(reuse_for_ms = 10 * MINUTE) {
  const store = new TestMetaStore();
  const clock = handClock();
  const content_keys = { newest: KeyTree.generate() };
  const [one, other] = [0, 1].map(() => new EarlierDecisions({ store, content_keys, clock, reuse_for_ms })) as [
    EarlierDecisions,
    EarlierDecisions,
  ];
  return { store, clock, one, other };
}

it('gives an approval to exactly one caller, in any process', async () => {
  const { one, other } = scene();
  await one.keep(KEY, made('approved'));
  const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : other).take(KEY, EVERYONE)));
  expect(taken.filter((found) => found !== null)).toEqual([made('approved')]);
  expect(await other.take(KEY, EVERYONE)).toBeNull();
});

it('gives as many approvals as were made at once', async () => {
  const { one, other } = scene();
  await Promise.all([
    one.keep(KEY, made('approved', 'a')),
    other.keep(KEY, made('approved', 'b')),
    one.keep(NEAR, made('denied')),
  ]);
  const taken = await Promise.all(Array.from({ length: 5 }, () => one.take(KEY, EVERYONE)));
  expect(taken.flatMap((found) => found?.run_id ?? []).toSorted()).toEqual(['a', 'b']);
});

it('gives a denial to every caller until it expires', async () => {
  const { clock, one, other } = scene();
  await one.keep(KEY, made('denied'));
  for (const asking of [one, other, one]) expect(await asking.take(KEY, EVERYONE)).toEqual(made('denied'));
  clock.advance(10 * MINUTE);
  expect(await one.take(KEY, EVERYONE)).toBeNull();
});

it('prefers the later of two different decisions', async () => {
  const { one } = scene();
  await one.keep(KEY, made('approved', 'a'));
  await one.keep(KEY, made('denied', 'b'));
  expect(await one.take(KEY, EVERYONE)).toMatchObject({ run_id: 'b' });
  await one.keep(KEY, made('approved', 'c'));
  expect(await one.take(KEY, EVERYONE)).toMatchObject({ run_id: 'c' });
  expect(await one.take(KEY, EVERYONE)).toBeNull();
});

it('ignores a decision that does not count now, and keeps it', async () => {
  const { one } = scene();
  await one.keep(KEY, made('approved'));
  expect(await one.take(KEY, ({ principal_id }) => principal_id !== 'bob')).toBeNull();
  expect(await one.take(KEY, EVERYONE)).not.toBeNull();
});

it('forgets only the given key', async () => {
  const { one } = scene();
  for (const key of [KEY, NEAR, FAR]) await one.keep(key, made('approved'));
  await one.forget([KEY, FAR]);
  const left = await Promise.all([KEY, NEAR, FAR].map((key) => one.take(key, EVERYONE)));
  expect(left.map((found) => found !== null)).toEqual([false, true, false]);
});

it('keeps a limited number, the newest', async () => {
  const { store, one } = scene();
  for (let n = 0; n < 300; n += 1) await one.keep(`ab${n}`, made('approved', `run-${n}`));
  expect(await one.take('ab0', EVERYONE)).toBeNull();
  expect(await one.take('ab299', EVERYONE)).not.toBeNull();
  expect((await store.readMeta('decisions/ab'))?.length).toBeLessThan(40_000);
});

it('keeps and reads nothing if decisions do not apply to later runs', async () => {
  const { store, one } = scene(0);
  await one.keep(KEY, made('approved'));
  expect(await one.take(KEY, EVERYONE)).toBeNull();
  expect(await store.readMeta('decisions/ab')).toBeNull();
});

it('ignores an entry that is unsealed or sealed with another key', async () => {
  const { store, clock, one } = scene();
  const forged = new EarlierDecisions({ store, content_keys: { newest: KeyTree.generate() }, clock, reuse_for_ms: MINUTE });
  await forged.keep(KEY, made('approved'));
  expect(await one.take(KEY, EVERYONE)).toBeNull();
  await store.writeMeta('decisions/ab', await store.readMeta('decisions/ab'), JSON.stringify([made('approved')]));
  expect(await one.take(KEY, EVERYONE)).toBeNull();
});

it('reports a decision that cannot be kept or forgotten because other processes are faster each time', async () => {
  const { store, one } = scene();
  await one.keep(KEY, made('approved'));
  store.writeMeta = async () => false;
  for (const change of [one.keep(KEY, made('denied')), one.take(KEY, EVERYONE), one.forget([KEY])])
    await expect(change).rejects.toMatchObject({ code: 'SVC-STORE-001' });
});
