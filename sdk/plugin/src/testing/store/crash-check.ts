import { type LedgerHead, RUN_STATUSES, type RunQuery, type RunRow, type Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, moveRun, sampleRun } from './builders.ts';
import { commitSealed, unplaced, verifiedChain } from './chain.ts';
import { CALLERS, type Call, callOf, LOADED_RUNS, payloadOf, responseOf, runOfCall, type Said, TOTAL } from './crash-plan.ts';

const AT_ONCE = 500;
const NEVER = Number.MAX_SAFE_INTEGER;

/** The data that a killed process left behind. */
export interface Left {
  readonly process: string;
  readonly said: readonly Said[];
}

async function allRuns(store: Store, query: Partial<RunQuery> = {}): Promise<Map<string, RunRow>> {
  const rows = new Map<string, RunRow>();
  let cursor: string | undefined;
  do {
    const page = await store.runs({ ...query, limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const row of page.rows) rows.set(row.run_id, row);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

/** In a shared store, statements of a killed process may still be running. This waits for them. */
async function comeAfter(store: Store): Promise<void> {
  await store.counters.reserve('after', [{ key: 'after', amount: 0, limit: 0, expires_at: NEVER }]);
  const settlements = [{ reservation: 'after', spend: [] }];
  await store.commit([createRun(sampleRun({ route: 'after', status: 'denied' }), { settlements })], []);
}

/** Evidence by run. Asserts that no run has two pieces of evidence. */
async function evidenceOf(store: Store): Promise<Map<string, LedgerHead>> {
  const evidence = new Map<string, LedgerHead>();
  for (const { seq, bytes } of await verifiedChain(store)) {
    const { run_id, hash } = JSON.parse(bytes);
    assert.ok(!evidence.has(run_id), `one evidence of ${run_id}`, 'a second');
    evidence.set(run_id, { seq, hash });
  }
  return evidence;
}

/** Asserts that counts and indexes agree with the rows. */
async function assertIndexed(store: Store, rows: ReadonlyMap<string, RunRow>): Promise<void> {
  const counts = await store.countRuns();
  const idsOf = (some: Iterable<RunRow>) => [...some].map(({ run_id }) => run_id).sort();
  const assertFound = async (query: Partial<RunQuery>, belongs: (row: RunRow) => boolean) => {
    const found = await allRuns(store, query);
    assert.deepEqual(idsOf(found.values()), idsOf([...rows.values()].filter(belongs)), JSON.stringify(query));
  };
  for (const status of RUN_STATUSES) {
    assert.equal(counts[status], [...rows.values()].filter((row) => row.status === status).length, `number of ${status}`);
    await assertFound({ status: [status] }, (row) => row.status === status);
  }
  for (const route of new Set([...rows.values()].map((row) => row.route)))
    await assertFound({ route }, (row) => row.route === route);
  for (const principal of new Set([...rows.values()].map((row) => row.principal_id)))
    await assertFound({ principal }, (row) => row.principal_id === principal);
}

/** The calls of a process that may have left data: up to the last call with a row, and one more for each caller. */
function callsOf({ process }: Left, rows: ReadonlyMap<string, RunRow>): Call[] {
  return Array.from({ length: CALLERS }, (_, caller) => {
    const calls: Call[] = [];
    do calls.push(callOf(process, caller, calls.length));
    while (rows.has(calls.at(-1)?.id ?? ''));
    return calls;
  }).flat();
}

async function assertContent(store: Store, call: Call, status: RunRow['status']): Promise<void> {
  const { bytes } = status === 'running' ? payloadOf(call) : responseOf(call);
  assert.deepEqual(await store.content(call.id, status === 'running' ? 'payload' : 'response'), bytes);
  assert.equal(await store.content(call.id, status === 'running' ? 'response' : 'payload'), null);
}

/** Asserts that the spent and reserved amounts match the rows. A call without a row may already have a reservation. */
async function assertReserved(store: Store, calls: readonly Call[], rows: ReadonlyMap<string, RunRow>): Promise<void> {
  const used = await store.counters.read(calls.map(({ id }) => id));
  for (const [i, { id, held, spent }] of calls.entries()) {
    const status = rows.get(id)?.status;
    const allowed = status === undefined ? [0, held] : [status === 'running' ? held : spent];
    assert.ok(allowed.includes(used[i] ?? -1), `${id}, which is ${status}, to use ${allowed.join(' or ')}`, used[i]);
  }
  const sum = used.reduce((total, amount) => total + amount, 0);
  assert.deepEqual(await store.counters.read([TOTAL]), [sum], 'the total held to be the sum of all reservations');
}

async function assertKeysTaken(store: Store, calls: readonly Call[]): Promise<void> {
  for (let i = 0; i < calls.length; i += AT_ONCE) {
    const some = calls.slice(i, i + AT_ONCE);
    const outcomes = await store.commit(
      some.map(({ id }) => createRun(sampleRun(), { unique_key: id })),
      [],
    );
    assert.deepEqual(
      outcomes,
      some.map(({ id }) => ({ result: 'duplicate', run_id: id })),
    );
  }
}

/** Asserts that everything that was acknowledged to these processes is in the store, and that the store is consistent. */
export async function assertNothingLost(store: Store, left: readonly Left[]): Promise<void> {
  await comeAfter(store);
  const rows = await allRuns(store);
  const evidence = await evidenceOf(store);
  await assertIndexed(store, rows);
  for (const { run_id, status, evidence: pointer } of rows.values()) {
    assert.deepEqual(pointer, status === 'completed' ? evidence.get(run_id) : null, `evidence of ${run_id}, ${status}`);
  }
  assert.equal(evidence.size, (await store.countRuns()).completed);
  const calls = left.flatMap((one) => callsOf(one, rows));
  const done = calls.filter(({ id }) => rows.has(id));
  for (const call of done.slice(-AT_ONCE)) await assertContent(store, call, rows.get(call.id)?.status ?? 'error');
  await assertKeysTaken(store, done);
  await assertReserved(store, calls, rows);
  for (const { process, said } of left) {
    for (const line of said) {
      if (line.said !== 'created' && line.said !== 'ended') continue;
      const row = rows.get(callOf(process, line.caller, line.n).id);
      assert.present(row, 'an acknowledged run');
      if (line.said === 'ended') assert.deepEqual(row.evidence, { seq: line.seq, hash: line.hash });
    }
    const moved = said.reduce((last, line) => (line.said === 'moved' ? line.cursor : last), 0);
    const cursor = await store.cursor(process);
    assert.ok(cursor === moved || cursor === moved + 1, `the cursor at ${moved} (acknowledged) or one further`, cursor);
  }
}

/** Ends the runs that the killed processes left open. Then nothing stays reserved, and the total spent equals the spend of the ended runs. */
export async function assertSettles(store: Store, left: readonly Left[]): Promise<void> {
  const rows = await allRuns(store);
  const calls = left.flatMap((one) => callsOf(one, rows));
  const open = calls.filter(({ id }) => rows.get(id)?.status !== 'completed');
  for (const call of open) {
    const settlements = [{ reservation: call.id, spend: [] }];
    const row = rows.get(call.id);
    const change =
      row === undefined
        ? createRun({ ...runOfCall(call), status: 'error' }, { settlements, unique_key: call.id })
        : moveRun(row, 'error', { settlements });
    const [outcome] = await commitSealed(store, [change]);
    assert.equal(outcome?.result, 'committed');
  }
  const spent = calls.filter((call) => !open.includes(call)).reduce((sum, call) => sum + call.spent, 0);
  assert.deepEqual(await store.counters.read([TOTAL]), [spent]);
  assert.equal((await evidenceOf(store)).size, calls.length);
  assert.equal((await store.countRuns()).running, 0);
}

/** Whether everything was loaded. If not, the store must be empty. */
export async function assertLoaded(store: Store): Promise<boolean> {
  // Waits as `comeAfter` does, but writes nothing.
  await store.commit([], []);
  const rows = await allRuns(store);
  const evidence = await evidenceOf(store);
  assert.ok(rows.size === 0 || rows.size === LOADED_RUNS, `0 or ${LOADED_RUNS} runs`, rows.size);
  assert.equal(evidence.size, rows.size);
  let items = 0;
  for await (const _ of store.dump()) items += 1;
  assert.equal(items, 3 * rows.size);
  await assertIndexed(store, rows);
  for (const row of rows.values()) assert.deepEqual(row.evidence, evidence.get(row.run_id));
  if (rows.size === 0) return false;
  await store.commit([], [unplaced()]);
  assert.equal((await verifiedChain(store)).length, LOADED_RUNS + 1);
  return true;
}
