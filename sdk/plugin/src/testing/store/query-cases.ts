import { RUN_STATUSES, type RunQuery, type RunRow, type Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { at, createRun, moveRun, next, sampleRun } from './builders.ts';
import type { StoreCases } from './fixture.ts';
import { mixes } from './mixes.ts';

type Filters = Omit<RunQuery, 'limit' | 'cursor'>;

/** Orders by code unit, as stores must order timestamps and run ids. */
function newestFirst(a: RunRow, b: RunRow): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.run_id < b.run_id ? 1 : -1;
}

function expected(rows: readonly RunRow[], { status, route, principal, session, owner, since, until }: Filters): RunRow[] {
  return rows
    .filter((row) => status === undefined || status.includes(row.status))
    .filter((row) => route === undefined || row.route === route)
    .filter((row) => principal === undefined || row.principal_id === principal)
    .filter((row) => session === undefined || row.session === session)
    .filter((row) => owner === undefined || row.owner === owner)
    .filter((row) => since === undefined || row.created_at >= since)
    .filter((row) => until === undefined || row.created_at < until)
    .sort(newestFirst);
}

/** 84 runs, two for each time, chosen so that every filter and every pair of filters matches some. */
async function fill(store: Store): Promise<RunRow[]> {
  const rows = Array.from({ length: 84 }, (_, i) =>
    sampleRun({
      created_at: at(Math.floor(i / 2)),
      status: RUN_STATUSES[i % 7] ?? 'error',
      route: `route-${i % 2}`,
      principal_id: `principal-${i % 3}`,
      owner: `owner-${i % 5}`,
      ...(i % 4 === 0 ? {} : { session: `session-${i % 4}` }),
    }),
  );
  // The runs are not stored in order of time.
  const shuffled = rows.map((_, i) => rows[(i * 37) % rows.length] ?? sampleRun());
  await store.commit(
    shuffled.map((row) => createRun(row)),
    [],
  );
  return rows;
}

async function pages(store: Store, filters: Filters, limit: number): Promise<RunRow[]> {
  const rows: RunRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.runs({ ...filters, limit, ...(cursor === undefined ? {} : { cursor }) });
    assert.ok(page.rows.length <= limit, `at most ${limit} rows`, page.rows.length);
    assert.ok(page.next === null || page.rows.length === limit, `${limit} rows on every page but the last`, page.rows.length);
    rows.push(...page.rows);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

async function findsEveryMix(store: Store, rows: readonly RunRow[]): Promise<void> {
  const filters = mixes<Filters>({
    status: [undefined, ['paused'], ['completed', 'error', 'completed'], ['pending', 'running'], RUN_STATUSES, []],
    route: [undefined, 'route-1', 'no such route'],
    principal: [undefined, 'principal-2'],
    session: [undefined, 'session-2', 'no such session'],
    owner: [undefined, 'owner-3'],
    since: [undefined, at(20)],
    until: [undefined, at(30)],
  });
  for (const mix of filters) {
    for (const limit of [3, 100]) assert.deepEqual(await pages(store, mix, limit), expected(rows, mix));
  }
}

export const queryCases: StoreCases = {
  'returns one empty page from an empty store': async ({ store }) => {
    assert.deepEqual(await store.runs({ limit: 10 }), { rows: [], next: null });
    assert.deepEqual(await store.runs({ limit: 10, status: ['paused'], route: 'none', since: at(0) }), { rows: [], next: null });
  },

  'returns the statuses of the given runs that exist': async ({ store }) => {
    const rows = await fill(store);
    const asked = rows.filter((_, i) => i % 3 !== 0);
    const found = await store.statuses(['', 'none', ...asked.map(({ run_id }) => run_id)]);
    assert.deepEqual(found, new Map(asked.map(({ run_id, status }) => [run_id, status])));
    assert.equal((await store.statuses([])).size, 0);
  },

  'lists runs newest first, each once, with any page size': async ({ store }) => {
    const rows = await fill(store);
    for (const limit of [1, 2, 5, 83, 84, 85, 10_000]) assert.deepEqual(await pages(store, {}, limit), expected(rows, {}));
    assert.equal((await store.runs({ limit: 84 })).next, null, 'returns no next cursor after a full last page');
  },

  'applies each filter and every combination of filters': async ({ store }) => {
    const rows = await fill(store);
    await findsEveryMix(store, rows);
  },

  'applies filters to the current state of runs after every move': async ({ store }) => {
    let rows = await fill(store);
    for (const [turn, status] of (['running', 'completed', 'paused', 'pending', 'blocked'] as const).entries()) {
      const moving = rows.filter((_, i) => i % 4 === turn % 4);
      await store.commit(
        moving.map((row) => moveRun(row, status)),
        [],
      );
      rows = rows.map((row) => (moving.includes(row) ? next(row, status) : row));
    }
    await findsEveryMix(store, rows);
  },

  'does not confuse values with the same prefix': async ({ store }) => {
    const names = ['a', 'aa', 'a/b', 'a b', 'ä', 'A', 'a\u007f', '😀'];
    const rows = names.map((name, i) => sampleRun({ route: name, principal_id: name, owner: name, created_at: at(i) }));
    await store.commit(
      rows.map((row) => createRun(row)),
      [],
    );
    for (const [i, name] of names.entries()) {
      for (const filters of [{ route: name }, { principal: name }, { owner: name }]) {
        assert.deepEqual((await store.runs({ ...filters, limit: 10 })).rows, [rows[i]]);
      }
    }
    for (const nothing of ['', 'b', 'x'.repeat(5000)]) {
      assert.deepEqual((await store.runs({ principal: nothing, limit: 10 })).rows, []);
    }
  },

  'since is inclusive': async ({ store }) => {
    const rows = [sampleRun({ created_at: at(1) }), sampleRun({ created_at: at(2) }), sampleRun({ created_at: at(3) })];
    await store.commit(
      rows.map((row) => createRun(row)),
      [],
    );
    assert.deepEqual((await store.runs({ since: at(2), limit: 10 })).rows, [rows[2], rows[1]]);
    assert.deepEqual((await store.runs({ since: at(4), limit: 10 })).rows, []);
  },

  'finds a moved run by its current state': async ({ store }) => {
    const run = sampleRun({ status: 'paused' });
    await store.commit([createRun(run)], []);
    const after = next(run, 'running', { owner: 'instance-b' });
    await store.commit([{ ...moveRun(run, 'running'), run: after }], []);
    for (const filters of [{ status: ['running'] }, { status: ['paused', 'running'] }, { owner: 'instance-b' }, {}] as const) {
      assert.deepEqual((await store.runs({ ...filters, limit: 10 })).rows, [after]);
    }
    for (const filters of [{ status: ['paused'] }, { owner: 'instance-a' }] as const) {
      assert.deepEqual((await store.runs({ ...filters, limit: 10 })).rows, []);
    }
  },

  'keeps pages stable while runs are added and moved': async ({ store }) => {
    const rows = await fill(store);
    const before = expected(rows, {});
    const first = await store.runs({ limit: 40 });
    const last = before.at(-1) ?? sampleRun();
    await store.commit([createRun(sampleRun({ created_at: at(1000) })), moveRun(last, 'error')], []);
    const rest = await store.runs({ limit: 100, cursor: first.next ?? '' });
    assert.deepEqual(
      [...first.rows, ...rest.rows].map(({ run_id }) => run_id),
      before.map(({ run_id }) => run_id),
    );
    assert.equal(rest.next, null);
  },

  'does not block the event loop while reading a page over many rows': async ({ store }) => {
    const rows = Array.from({ length: 2000 }, (_, i) => sampleRun({ created_at: at(i) }));
    await store.commit(
      rows.map((row) => createRun(row)),
      [],
    );
    let turns = 0;
    let timer = setImmediate(function count() {
      turns++;
      timer = setImmediate(count);
    });
    const page = await store.runs({ limit: 2000 });
    clearImmediate(timer);
    assert.equal(page.rows.length, 2000);
    assert.atLeast(turns, 5, 'turns of the event loop');
  },

  'rejects a cursor that it did not issue as BadCursor': async ({ store }) => {
    await fill(store);
    for (const cursor of ['', 'x', '!!', 'W10', Buffer.from('["a"]').toString('base64url'), 'A'.repeat(10_000)]) {
      await assert.rejects(store.runs({ limit: 10, cursor }), { name: 'BadCursor' });
    }
  },
};
