import type { RunRow } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { troubledScene } from '../../kernel/runtime/src/gateway/runs/test-scene.ts';
import type { AnswerSink } from '../../kernel/runtime/src/streaming/answer-sink.ts';
import { ALLOW, guardOf, nodeOf } from '../../kernel/runtime/src/test-parts.ts';

const REFUSED = { code: 'SVC-STORE-001', status: 503, paid: false };
const ENDPOINT = { provider: 'local', model: 'm-1', region: 'eu' };

const sink = (ready: AnswerSink['ready'] = () => undefined): AnswerSink => ({ ready, write: () => undefined });

/** A scene, and the rows that were on disk whenever the model was called. */
function watched(options?: Parameters<typeof troubledScene>[0]) {
  const scene = troubledScene(options);
  const seen: RunRow[][] = [];
  scene.onCall(() => void seen.push([...scene.store.rows.values()].map((row) => structuredClone(row))));
  return { ...scene, seen };
}

describe.each([
  ['whole', {}],
  ['streamed', { sink: sink() }],
  ['with an idempotency key', { idempotency_key: { value: 'key', endpoint: 'POST /v1/runs', body: {} } }],
])('a run that is answered %s', (_, fields) => {
  it('is on disk as running, with its endpoint, when its model is called', async () => {
    const { start, seen, store } = watched();
    const { row } = await start('hello', fields);
    expect(seen).toMatchObject([[{ run_id: row.run_id, status: 'running', version: 1, principal_id: 'alice' }]]);
    expect(seen[0]?.[0]?.events).toMatchObject([
      { event_type: 'state', data: { from: null, to: 'running', endpoint: ENDPOINT } },
    ]);
    expect(store.rows.get(row.run_id)).toMatchObject({ status: 'completed', version: 2, evidence: { seq: 1 } });
  });

  it('is refused without a model call if its start cannot be written', async () => {
    const { start, calls, store } = watched();
    store.trouble = 'before';
    await expect(start('hello', fields)).rejects.toMatchObject(REFUSED);
    expect(calls()).toBe(0);
  });

  it('counts as started if the write succeeded although it rejected', async () => {
    const { start, store, onCall } = troubledScene();
    store.trouble = 'after';
    onCall(() => {
      store.trouble = null;
    });
    expect((await start('hello', fields)).row).toMatchObject({ status: 'completed', evidence: { seq: 1 } });
  });

  it('does not call its model if its caller left while the start was being written', async () => {
    const { start, calls, store } = watched();
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    const gone = new AbortController();
    const outcome = start('hello', fields, gone.signal);
    while (store.groups.length === 0) await new Promise(setImmediate);
    gone.abort();
    gate.resolve();
    const { row, events } = await outcome;
    expect(calls()).toBe(0);
    expect(row).toMatchObject({ status: 'error', evidence: { seq: 1 } });
    expect(events.map(({ event_type }) => event_type)).toContain('disconnected');
  });
});

it('the model is called only after the write has resolved, and the guards work meanwhile', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const guarded = Promise.withResolvers<void>();
  const { start, store, onCall } = troubledScene({
    guarded: () => {
      order.push('guarded');
      guarded.resolve();
    },
  });
  store.gate = gate.promise.then(() => void order.push('on disk'));
  onCall(() => void order.push('called'));
  const outcome = start('hello');
  await guarded.promise;
  while (store.groups.length === 0) await new Promise(setImmediate);
  gate.resolve();
  await outcome;
  expect(order).toEqual(['guarded', 'on disk', 'called']);
});

it('the write of a single run goes to the store before its guards are asked', async () => {
  const groups: number[][] = [];
  const { start, store } = troubledScene({ guarded: () => void groups.push([...store.groups]) });
  await start('hello');
  await start('hello');
  expect(groups[1]).toEqual([1, 1, 1]);
});

it('a guard that retrieves is asked only after the write has resolved: its question goes to an embedding model', async () => {
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { start, store } = troubledScene({ namespaces: ['docs'], guarded: () => void order.push('guarded') });
  store.gate = gate.promise.then(() => void order.push('on disk'));
  const outcome = start('hello');
  while (store.groups.length === 0) await new Promise(setImmediate);
  gate.resolve();
  await outcome;
  expect(order).toEqual(['on disk', 'guarded']);
});

it.each([
  ['refuse', 'blocked', { seq: 1 }],
  ['wait', 'paused', null],
])(
  'a run that its guards stop (%s) while its start is being written becomes %s afterwards',
  async (content, status, evidence) => {
    const { start, store, calls } = watched();
    const { row } = await start(content);
    expect(store.rows.get(row.run_id)).toMatchObject({ status, version: 2, evidence });
    expect(calls()).toBe(0);
  },
);

it('a pause or refusal after a start that could not be written is not reported', async () => {
  for (const content of ['refuse', 'wait']) {
    const { start, store } = watched();
    store.trouble = 'before';
    await expect(start(content)).rejects.toMatchObject(REFUSED);
    expect(store.rows.size).toBe(0);
  }
});

it('a run in the background is on disk as running, with its endpoint, before its model is called', async () => {
  const { startInBackground, seen, runs } = watched({ record_start: false });
  const { row } = await startInBackground('hello');
  await runs.close(60_000);
  expect(seen).toMatchObject([[{ run_id: row.run_id, status: 'running' }]]);
  expect(seen[0]?.[0]?.events.at(-1)?.data).toMatchObject({ to: 'running', endpoint: ENDPOINT });
});

it('a run that continues after an approval is on disk as running, with its endpoint, before its model is called', async () => {
  const { start, seen, runs } = watched({ record_start: false });
  const { row } = await start('wait');
  await runs.resume(row.run_id, 'bob', { decision: 'approved', digest: null });
  expect(seen).toMatchObject([[{ run_id: row.run_id, status: 'running' }]]);
  expect(seen[0]?.[0]?.events.at(-1)?.data).toMatchObject({ to: 'running', endpoint: ENDPOINT });
});

it('with record_start off, a whole answer is written once; a streamed one still has a row', async () => {
  const { start, seen, store } = watched({ record_start: false });
  const whole = await start('hello');
  const streamed = await start('hello', { sink: sink() });
  expect(seen[0]).toEqual([]);
  expect(seen[1]).toContainEqual(expect.objectContaining({ run_id: streamed.row.run_id, status: 'running' }));
  expect([whole, streamed].map(({ row }) => store.rows.get(row.run_id)?.version)).toEqual([1, 2]);
});

describe('the response of a stream', () => {
  it.each([
    ['flows', {}],
    [
      'is judged whole',
      {
        egress: [
          nodeOf(
            'whole',
            guardOf(() => ALLOW),
          ),
        ],
      },
    ],
  ])('may begin once the run is on disk, and before its model is called, if it %s', async (_, changes) => {
    const { asking, runs, store, onCall } = troubledScene({ record_start: false });
    const order: unknown[] = [];
    onCall(() => void order.push('call'));
    const ready = (run_id: string): void => void order.push(store.rows.get(run_id)?.status);
    const asked = asking('hello', { sink: sink(ready) });
    await runs.start({ ...asked, route: { ...asked.route, ...changes } });
    expect(order).toEqual(['running', 'call']);
  });

  it('may not begin if its start cannot be written', async () => {
    const { start, store } = watched();
    store.trouble = 'before';
    let isReady = false;
    const told = sink(() => {
      isReady = true;
    });
    await expect(start('hello', { sink: told })).rejects.toMatchObject(REFUSED);
    expect(isReady).toBe(false);
  });
});
