import type { RunChange, RunEvent } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { at, createRun, item, moveRun, next, sampleRun } from './builders.ts';
import { commitSealed, unplaced, verifiedChain } from './chain.ts';
import type { StoreCases } from './fixture.ts';

/** To a store, the data of an event may be anything. */
const stateWith = (data: object): RunEvent => ({ event_type: 'state', stage: 'ingress', node: '', data });

const won = { result: 'committed', evidence: null };

export const commitCases: StoreCases = {
  'reads a new run back unchanged': async ({ store }) => {
    const run = sampleRun({
      approvers: ['bob', 'carol'],
      events: [stateWith({ from: null, to: 'running', n: 1, text: 'é😀"\\\n' })],
      expires_at: at(60),
      approver: { principal_id: 'bob', decision: 'approved', at: at(1) },
    });
    assert.deepEqual(await store.commit([createRun(run)], []), [won]);
    assert.deepEqual(await store.run(run.run_id), run);
    assert.equal(await store.run(sampleRun().run_id), null);
  },

  'reads a run of one megabyte back unchanged': async ({ store }) => {
    const run = sampleRun({
      events: [stateWith({ text: 'é😀'.repeat(200_000) })],
    });
    await store.commit([createRun(run)], []);
    assert.deepEqual(await store.run(run.run_id), run);
  },

  'returns rows as copies: changing one does not change the store': async ({ store }) => {
    const run = sampleRun({ approvers: ['bob'] });
    await store.commit([createRun(run)], []);
    run.approvers.push('mallory');
    const [conflict] = await store.commit([createRun(run)], []);
    assert.ok(conflict?.result === 'conflict', 'a conflict', conflict);
    const page = await store.runs({ limit: 10 });
    for (const row of [await store.run(run.run_id), conflict.current, ...page.rows]) {
      assert.deepEqual(row?.approvers, ['bob']);
      row.approvers.push('mallory');
      row.status = 'error';
    }
    assert.deepEqual(await store.run(run.run_id), { ...run, approvers: ['bob'] });
  },

  'commits a move if status, version and owner match': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run)], []);
    const change = moveRun(run, 'completed');
    assert.deepEqual(await store.commit([change], []), [won]);
    assert.deepEqual(await store.run(run.run_id), change.run);
  },

  'stores a new owner': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run)], []);
    const taken = next(run, 'running', { owner: 'instance-b' });
    const change: RunChange = { ...moveRun(run, 'running'), run: taken };
    assert.deepEqual(await store.commit([change], []), [won]);
    assert.deepEqual(await store.commit([moveRun(run, 'completed')], []), [{ result: 'conflict', current: taken }]);
    assert.deepEqual(await store.commit([moveRun(taken, 'completed')], []), [won]);
  },

  'reports a conflict with the current row for a wrong status, version or owner, and for a missing or unexpected row': async ({
    store,
  }) => {
    const run = sampleRun();
    await store.commit([createRun(run)], []);
    const { status, version, owner } = run;
    const conflict = { result: 'conflict', current: run };
    for (const expect of [
      { status: 'paused' as const, version, owner },
      { status, version: version + 1, owner },
      { status, version: version - 1, owner },
      { status, version, owner: 'instance-b' },
      null,
    ]) {
      assert.deepEqual(await store.commit([{ ...moveRun(run, 'completed'), expect }], []), [conflict]);
    }
    assert.deepEqual(await store.commit([moveRun(sampleRun(), 'completed')], []), [{ result: 'conflict', current: null }]);
    assert.deepEqual(await store.run(run.run_id), run);
  },

  'writes nothing of a conflicting change': async ({ store }) => {
    const run = sampleRun();
    const hold = { key: 'tokens', amount: 5, limit: 100, expires_at: Number.MAX_SAFE_INTEGER };
    await store.counters.reserve('reservation', [hold]);
    await store.commit([createRun(run, { put_content: [item('payload', 'old')] })], []);
    const losing = createRun(run, {
      put_content: [item('payload', 'new'), item('other', 'new')],
      settlements: [{ reservation: 'reservation', spend: [{ key: 'tokens', amount: 50, expires_at: Number.MAX_SAFE_INTEGER }] }],
      unique_key: 'key',
    });
    const dropping = { ...moveRun(run, 'completed', { drop_content: ['payload'] }), expect: null };
    const outcomes = await commitSealed(store, [losing, dropping]);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['conflict', 'conflict'],
    );
    assert.equal(new TextDecoder().decode((await store.content(run.run_id, 'payload')) ?? undefined), 'old');
    assert.equal(await store.content(run.run_id, 'other'), null);
    assert.deepEqual(await store.counters.read(['tokens']), [5]);
    assert.equal(await store.head(), null);
    assert.equal(await store.runOfKey('key'), null);
    const [outcome] = await store.commit([createRun(sampleRun(), { unique_key: 'key' })], []);
    assert.equal(outcome?.result, 'committed');
  },

  'accepts a repeated change without writing it again': async ({ store }) => {
    const run = sampleRun();
    const created = { ...createRun(run), id: 'change-1' };
    const [first] = await store.commit([created], [unplaced({ change: 0 })]);
    assert.ok(first?.result === 'committed', 'it is written', first);
    assert.deepEqual(await store.commit([created], [unplaced({ change: 0 })]), [first]);
    const head = await store.head();
    assert.equal(head?.seq, first.evidence?.seq);
    const [other] = await store.commit([{ ...created, id: 'change-2' }], []);
    assert.equal(other?.result, 'conflict');
  },
  'conflicts and duplicates do not affect the other changes of a commit': async ({ store }) => {
    const known = sampleRun();
    assert.equal(await store.runOfKey('taken'), null);
    await store.commit([createRun(known, { unique_key: 'taken' })], []);
    assert.equal(await store.runOfKey('taken'), known.run_id);
    assert.equal(await store.runOfKey('take'), null);
    const [first, last] = [sampleRun(), sampleRun()];
    const changes = [
      createRun(first),
      createRun(known),
      createRun(sampleRun(), { unique_key: 'taken' }),
      moveRun(sampleRun(), 'error'),
      createRun(last),
    ];
    const outcomes = await commitSealed(store, changes);
    assert.deepEqual(
      outcomes.map(({ result }) => result),
      ['committed', 'conflict', 'duplicate', 'conflict', 'committed'],
    );
    assert.present(await store.run(first.run_id), 'the first run');
    assert.present(await store.run(last.run_id), 'the last run');
    assert.equal((await verifiedChain(store)).length, 2);
  },

  'lets a later change of a commit see the row of an earlier one': async ({ store }) => {
    const run = sampleRun();
    const paused = next(run, 'paused');
    const done = next(paused, 'completed');
    const outcomes = await store.commit(
      [createRun(run), createRun(run), moveRun(run, 'paused'), moveRun(run, 'error'), moveRun(paused, 'completed')],
      [],
    );
    assert.deepEqual(outcomes, [won, { result: 'conflict', current: run }, won, { result: 'conflict', current: paused }, won]);
    assert.deepEqual(await store.run(run.run_id), done);
    assert.deepEqual((await store.runs({ limit: 10 })).rows, [done]);
    assert.deepEqual((await store.runs({ status: ['running', 'paused'], limit: 10 })).rows, []);
    assert.equal((await store.countRuns()).completed, 1);
    assert.equal((await store.countRuns()).running, 0);
  },

  'gives a unique key to one run only': async ({ store }) => {
    const [run, second] = [sampleRun(), sampleRun()];
    await store.commit([createRun(run, { unique_key: 'alice/1' })], []);
    const outcomes = await store.commit(
      [
        createRun(second, { unique_key: 'alice/1', put_content: [item('payload', 'x')] }),
        createRun(sampleRun(), { unique_key: 'alice/2' }),
        createRun(sampleRun()),
      ],
      [],
    );
    assert.deepEqual(outcomes, [{ result: 'duplicate', run_id: run.run_id }, won, won]);
    assert.equal(await store.run(second.run_id), null);
    assert.equal(await store.content(second.run_id, 'payload'), null);
    await store.commit([moveRun(run, 'completed')], []);
    const [after] = await store.commit([createRun(sampleRun(), { unique_key: 'alice/1' })], []);
    assert.deepEqual(after, { result: 'duplicate', run_id: run.run_id });
  },

  'reserves a unique key for an earlier change of the same commit, unless that one failed': async ({ store }) => {
    const [known, first] = [sampleRun(), sampleRun()];
    await store.commit([createRun(known)], []);
    const outcomes = await store.commit(
      [known, first, sampleRun()].map((run) => createRun(run, { unique_key: 'same' })),
      [],
    );
    assert.deepEqual(outcomes, [{ result: 'conflict', current: known }, won, { result: 'duplicate', run_id: first.run_id }]);
  },

  'counts the runs of every status': async ({ store }) => {
    const none = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };
    assert.deepEqual(await store.countRuns(), none);
    const [one, two, three] = [sampleRun(), sampleRun(), sampleRun({ status: 'pending' })];
    await store.commit([createRun(one), createRun(two), createRun(three)], []);
    assert.deepEqual(await store.countRuns(), { ...none, running: 2, pending: 1 });
    await store.commit([moveRun(one, 'blocked'), moveRun(three, 'running'), moveRun(one, 'error')], []);
    assert.deepEqual(await store.countRuns(), { ...none, running: 2, blocked: 1 });
  },

  'rejects names that are malformed, too long or contain control characters': async ({ store }) => {
    for (const name of ['\0', 'a\u0004b', 'x'.repeat(513), 'é'.repeat(257), '\ud800']) {
      const commits = [
        createRun(sampleRun({ run_id: name })),
        createRun(sampleRun({ route: name })),
        createRun(sampleRun({ principal_id: name })),
        createRun(sampleRun({ owner: name })),
        createRun(sampleRun(), { unique_key: name }),
        createRun(sampleRun(), { put_content: [item(name, 'text')] }),
        createRun(sampleRun(), { settlements: [{ reservation: name, spend: [] }] }),
        createRun(sampleRun(), { settlements: [{ reservation: '1', spend: [{ key: name, amount: 1, expires_at: 1 }] }] }),
      ].map((change) => store.commit([change], []));
      const others = [
        store.counters.reserve(name, []),
        store.counters.reserve('1', [{ key: name, amount: 1, limit: 1, expires_at: 1 }]),
        store.acquireLease(name, 'a', 1000),
        store.writeMeta(name, null, ''),
      ];
      const refused = { name: 'StoreError', code: 'NAME' };
      await Promise.all([...commits, ...others].map((asked) => assert.rejects(asked, refused)));
    }
    const longest = sampleRun({ route: 'x'.repeat(512) });
    await commitSealed(store, [createRun(longest)]);
    assert.equal((await store.runs({ route: longest.route, limit: 10 })).rows.length, 1);
  },

  'writes the row and content as they were at the call': async ({ store }) => {
    const run = sampleRun({ approvers: ['bob'] });
    const bytes = Uint8Array.of(1, 2, 3);
    const commit = commitSealed(store, [createRun(run, { put_content: [{ name: 'payload', bytes, expires_at: null }] })]);
    run.approvers.push('mallory');
    run.route = 'other';
    bytes.fill(0);
    await commit;
    const row = await store.run(run.run_id);
    assert.deepEqual([row?.approvers, row?.route], [['bob'], 'default']);
    assert.equal((await store.runs({ route: 'default', limit: 10 })).rows.length, 1);
    assert.deepEqual(await store.content(run.run_id, 'payload'), Uint8Array.of(1, 2, 3));
  },
};
