import { RUN_STATUSES, type RunChange, type RunRow, type RunStatus } from '@svc/sdk/plugin';
import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

const RUNS = 4;
const status = fc.constantFrom<RunStatus>('pending', 'running', 'paused', 'completed');
const move = fc.record({
  run: fc.nat(RUNS - 1),
  status,
  owner: fc.constantFrom('a', 'b'),
  /** Which of its former states the change expects: 0 is the true one, null none at all. */
  behind: fc.option(fc.nat(2), { freq: 3 }),
  key: fc.option(fc.nat(2)),
});
/** Commits that are made at once, each of several changes. */
const history = fc.array(fc.array(fc.array(move, { maxLength: 5 }), { maxLength: 4 }), { maxLength: 6 });

/** What a commit is meant to do, without a store. */
class Model {
  readonly rows = new Map<string, RunRow>();
  readonly keys = new Map<string, string>();

  apply({ run, expect: wanted, unique_key }: RunChange): 'committed' | 'conflict' | 'duplicate' {
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

test('rows, counts and indexes follow the model, whatever is committed together or at once', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (rounds) => {
      const { folder, remove } = temporaryFolder();
      const store = await openStore(folder);
      const model = new Model();
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
        const wanted = batches.map((changes) => changes.map((change) => model.apply(change)));
        const outcomes = await Promise.all(batches.map((changes) => commitSealed(store, changes)));
        expect(outcomes.map((batch) => batch.map(({ result }) => result))).toEqual(wanted);
        committed += wanted.flat().filter((result) => result === 'committed').length;
      }
      const rows = [...model.rows.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
      const withoutEvidence = (found: readonly RunRow[]) => found.map((row) => ({ ...row, evidence: null }));
      expect(withoutEvidence((await store.runs({ limit: 100 })).rows)).toEqual(rows);
      const counts = await store.countRuns();
      for (const value of RUN_STATUSES) {
        const those = rows.filter((row) => row.status === value);
        expect(counts[value]).toBe(those.length);
        expect(withoutEvidence((await store.runs({ limit: 100, status: [value] })).rows)).toEqual(those);
      }
      for (const owner of ['a', 'b']) {
        expect(withoutEvidence((await store.runs({ limit: 100, owner })).rows)).toEqual(
          rows.filter((row) => row.owner === owner),
        );
      }
      expect(await verifiedChain(store)).toHaveLength(committed);
      await store.close();
      remove();
    }),
    { numRuns: 60 },
  );
});
