import { type CommitOutcome, type RunChange, type Store, StoreError, type UnplacedRecord } from '@svc/contracts';
import { expect, it } from 'vitest';
import { JoinedCommits } from './joined-commits.ts';

const changeOf = (run_id: string) => ({ run: { run_id } }) as RunChange;
const recordOf = (change: number | null): UnplacedRecord => ({
  record_type: 'run_evidence',
  model_id: 'm',
  parts: ['', '', '', ''],
  change,
});
const idsOf = (changes: readonly RunChange[]): string[] => changes.map(({ run }) => run.run_id);

/** A store whose commits wait until they are released. Each change is answered with its own id. */
function scene(refuse: (ids: readonly string[]) => Error | null = () => null) {
  const seen: { ids: string[]; of: (number | null)[] }[] = [];
  const gates: (() => void)[] = [];
  const commit: Store['commit'] = async (changes, records) => {
    const ids = idsOf(changes);
    seen.push({ ids, of: records.map(({ change }) => change) });
    await new Promise<void>((resolve) => gates.push(resolve));
    const error = refuse(ids);
    if (error !== null) throw error;
    return ids.map((run_id): CommitOutcome => ({ result: 'duplicate', run_id }));
  };
  const commits = new JoinedCommits({ commit });
  const ask = (ids: readonly string[], of: (number | null)[] = []) =>
    commits.commit(ids.map(changeOf), of.map(recordOf)).then(
      (outcomes) => outcomes.map((outcome) => outcome.result === 'duplicate' && outcome.run_id),
      (error: StoreError) => error.code,
    );
  const release = async (): Promise<void> => {
    gates.shift()?.();
    await new Promise(setImmediate);
  };
  return { seen, ask, release };
}

it('commits that arrive during a write are written together, and each gets its own outcomes', async () => {
  const { seen, ask, release } = scene();
  const all = Promise.all([ask(['a'], [0]), ask(['b', 'c'], [1]), ask(['d'], [0]), ask(['e', 'f'], [null, 0, 1])]);
  await release();
  await release();
  expect(seen).toEqual([
    { ids: ['a'], of: [0] },
    { ids: ['b', 'c', 'd', 'e', 'f'], of: [1, 2, null, 3, 4] },
  ]);
  expect(await all).toEqual([['a'], ['b', 'c'], ['d'], ['e', 'f']]);
});

it('a commit without changes is written alone, and the number of changes in one write is limited', async () => {
  const { seen, ask, release } = scene();
  const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`);
  const asked = [ask(['a']), ask([]), ask([], [null]), ask(many(200, 'b')), ask(many(56, 'c')), ask(['d']), ask(many(300, 'e'))];
  while (seen.length < 6) await release();
  await release();
  await Promise.all(asked);
  expect(seen.map(({ ids }) => ids.length)).toEqual([1, 0, 0, 256, 1, 300]);
});

it('a refused commit fails alone', async () => {
  const { ask, release } = scene((ids) => (ids.includes('bad') ? new StoreError('NAME', 'no name') : null));
  const all = Promise.all([ask(['a']), ask(['b']), ask(['bad']), ask(['c'])]);
  for (let n = 0; n < 5; n += 1) await release();
  expect(await all).toEqual([['a'], ['b'], 'NAME', ['c']]);
});

it('if the store fails, all commits are rejected, and none is written twice', async () => {
  const { seen, ask, release } = scene((ids) => (ids.includes('b') ? new StoreError('STOPPED', 'the disk is gone') : null));
  const all = Promise.all([ask(['a']), ask(['b']), ask(['c'])]);
  await release();
  await release();
  expect(await all).toEqual([['a'], 'STOPPED', 'STOPPED']);
  expect(seen).toHaveLength(2);
  const later = ask(['d']);
  await release();
  expect(await later).toEqual(['d']);
});
