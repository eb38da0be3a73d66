import { RUN_STATUSES, type RunChange, type RunRow, type RunStatus, type Store } from '@svc/contracts';
import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect } from 'vitest';

const RUNS = 4;
const status = fc.constantFrom<RunStatus>('pending', 'running', 'paused', 'completed');
const move = fc.record({
  run: fc.nat(RUNS - 1),
  status,
  owner: fc.constantFrom('a', 'b'),
  /** The previous state that the change expects: 0 is the current one, null means none. */
  behind: fc.option(fc.nat(2), { freq: 3 }),
  key: fc.option(fc.nat(2)),
});
/** Concurrent commits, each with several changes. */
const history = fc.array(fc.array(fc.array(move, { maxLength: 5 }), { maxLength: 4 }), { maxLength: 6 });

type Result = 'committed' | 'conflict' | 'duplicate';

/** What commits should do, without a store. */
class Model {
  readonly rows: Map<string, RunRow>;
  readonly keys: Map<string, string>;

  constructor(before?: Model) {
    this.rows = new Map(before?.rows);
    this.keys = new Map(before?.keys);
  }

  apply({ run, expect: wanted, unique_key }: RunChange): Result {
    const row = this.rows.get(run.run_id);
    const holds =
      wanted === null
        ? row === undefined
        : row?.status === wanted.status && row.version === wanted.version && row.owner === wanted.owner;
    if (!holds) return 'conflict';
    if (wanted === null && unique_key !== undefined) {
      if (this.keys.has(unique_key)) return 'duplicate';
      this.keys.set(unique_key, run.run_id);
    }
    this.rows.set(run.run_id, run);
    return 'committed';
  }
}

function permutations(n: number): number[][] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((order) => Array.from({ length: n }, (_, at) => order.toSpliced(at, 0, n - 1)));
}

/** The states that concurrent commits can lead to with exactly these results, in any order. */
function after(models: readonly Model[], batches: readonly RunChange[][], results: readonly Result[][]): Model[] {
  const possible = models.flatMap((before) =>
    permutations(batches.length).flatMap((order) => {
      const model = new Model(before);
      const fits = order.every((i) => batches[i]?.every((change, n) => model.apply(change) === results[i]?.[n]));
      return fits ? [model] : [];
    }),
  );
  return [
    ...new Map(possible.map((model) => [JSON.stringify([[...model.rows].sort(), [...model.keys].sort()]), model])).values(),
  ];
}

const newestFirst = (rows: Iterable<RunRow>) => [...rows].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
const withoutEvidence = (found: readonly RunRow[]) => found.map((row) => ({ ...row, evidence: null }));

async function assertFound(store: Store, rows: readonly RunRow[]): Promise<void> {
  const counts = await store.countRuns();
  for (const value of RUN_STATUSES) {
    const those = rows.filter((row) => row.status === value);
    expect(counts[value]).toBe(those.length);
    expect(withoutEvidence((await store.runs({ limit: 100, status: [value] })).rows)).toEqual(those);
  }
  for (const owner of ['a', 'b']) {
    expect(withoutEvidence((await store.runs({ limit: 100, owner })).rows)).toEqual(rows.filter((row) => row.owner === owner));
  }
}

/**
 * Checks that rows, counts and indexes match the model for any combination of commits.
 * @param open opens an empty store
 */
export async function commitsFollowModel(open: () => Promise<{ store: Store; close: () => Promise<void> }>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(history, async (rounds) => {
      const { store, close } = await open();
      try {
        let models = [new Model()];
        const firsts = Array.from({ length: RUNS }, (_, i) => sampleRun({ created_at: `2026-01-0${i + 1}T00:00:00.000Z` }));
        const pasts = firsts.map((first) => [first]);
        let committed = 0;
        for (const commits of rounds) {
          const batches = commits.map((moves) =>
            moves.flatMap((step): RunChange[] => {
              const past = pasts[step.run];
              const first = firsts[step.run];
              if (past === undefined || first === undefined) return [];
              const from = step.behind === null ? null : (past.at(-1 - step.behind) ?? first);
              const run = { ...first, status: step.status, owner: step.owner, version: (from?.version ?? 0) + 1 };
              past.push(run);
              const unique = step.key === null ? {} : { unique_key: `${step.key}` };
              return [{ ...createRun(run, unique), expect: from }];
            }),
          );
          const outcomes = await Promise.all(batches.map((changes) => commitSealed(store, changes)));
          const results = outcomes.map((batch) => batch.map(({ result }) => result));
          models = after(models, batches, results);
          expect(models, 'some order of the commits explains their results').not.toEqual([]);
          committed += results.flat().filter((result) => result === 'committed').length;
        }
        const rows = withoutEvidence((await store.runs({ limit: 100 })).rows);
        expect(models.map((model) => newestFirst(model.rows.values()))).toContainEqual(rows);
        await assertFound(store, rows);
        expect(await verifiedChain(store)).toHaveLength(committed);
      } finally {
        await close();
      }
    }),
  );
}
