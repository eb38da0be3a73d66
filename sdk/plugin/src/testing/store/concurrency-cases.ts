import { setImmediate as nextTurn } from 'node:timers/promises';
import * as assert from '../cases/assert.ts';
import { at, createRun, moveRun, sampleRun } from './builders.ts';
import { commitSealed, verifiedChain } from './chain.ts';
import type { StoreCases } from './fixture.ts';

export const concurrencyCases: StoreCases = {
  '200 concurrent commits of several changes form one chain': async ({ store }) => {
    const commits = Array.from({ length: 200 }, (_, i) =>
      [0, 1, 2].map((n) => createRun(sampleRun({ created_at: at(i), route: `route-${n}` }))),
    );
    const outcomes = await Promise.all(commits.map((changes) => commitSealed(store, changes)));
    const records = await verifiedChain(store);
    assert.equal(records.length, 600);
    for (const [i, changes] of commits.entries()) {
      for (const [n, { run }] of changes.entries()) {
        const outcome = outcomes[i]?.[n];
        assert.ok(outcome?.result === 'committed' && outcome.evidence !== null, 'a commit with evidence', outcome);
        assert.equal(JSON.parse(records[outcome.evidence.seq - 1]?.bytes ?? '').run_id, run.run_id);
        assert.deepEqual((await store.run(run.run_id))?.evidence, outcome.evidence);
      }
    }
    assert.equal((await store.countRuns()).running, 600);
  },

  'exactly one of many concurrent moves of a run wins': async ({ store }) => {
    const runs = [sampleRun({ status: 'paused' }), sampleRun({ status: 'paused' })];
    await commitSealed(
      store,
      runs.map((run) => createRun(run)),
    );
    const decisions = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? ('running' as const) : ('denied' as const)));
    const attempts = await Promise.all(
      decisions.map((status) =>
        commitSealed(
          store,
          runs.map((run) => moveRun(run, status)),
        ),
      ),
    );
    for (const [n, run] of runs.entries()) {
      const winners = decisions.filter((_, i) => attempts[i]?.[n]?.result === 'committed');
      assert.equal(winners.length, 1);
      const row = await store.run(run.run_id);
      assert.equal(row?.status, winners[0]);
      assert.equal(row?.version, 2);
    }
    assert.equal((await verifiedChain(store)).length, 4);
  },

  'stores exactly one of many new runs with the same unique key': async ({ store }) => {
    const runs = Array.from({ length: 50 }, () => sampleRun());
    const outcomes = await Promise.all(runs.map((run) => commitSealed(store, [createRun(run, { unique_key: 'same' })])));
    const winner = runs.find((_, i) => outcomes[i]?.[0]?.result === 'committed');
    assert.present(winner, 'a winner');
    assert.deepEqual(
      outcomes.flat().filter(({ result }) => result !== 'committed'),
      Array.from({ length: 49 }, () => ({ result: 'duplicate', run_id: winner.run_id })),
    );
    assert.deepEqual(
      (await store.runs({ limit: 100 })).rows.map(({ run_id }) => run_id),
      [winner.run_id],
    );
  },

  'readers always see a complete chain while others write': async ({ store }) => {
    let writing = true;
    const write = async () => {
      for (let i = 0; i < 60; i++) await commitSealed(store, [createRun(sampleRun()), createRun(sampleRun())]);
      writing = false;
    };
    const read = async () => {
      while (writing) {
        await nextTurn();
        const head = await store.head();
        const records = await store.records({ since_seq: 0, limit: 1000 });
        assert.atLeast(records.length, head?.seq ?? 0, 'records up to the head');
        for (const [i, { seq }] of records.entries()) assert.equal(seq, i + 1);
        const { running } = await store.countRuns();
        assert.atLeast(running, records.length, 'runs');
      }
    };
    await Promise.all([write(), read()]);
    assert.equal((await verifiedChain(store)).length, 120);
  },
};
