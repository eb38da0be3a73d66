import { MessageChannel } from 'node:worker_threads';
import { BadCursor, parseBody, type RunChange, type RunRow, type Store, StoreError } from '@svc/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { ChannelStore } from './channel-store.ts';
import type { Channel } from './messages.ts';
import { serveStore } from './serve-store.ts';

/** A store over a channel whose other end has only these methods, and a function that breaks the channel. */
function over(methods: Partial<Store>): { store: ChannelStore; cut: () => void } {
  const { port1, port2 } = new MessageChannel();
  const [here, there] = [port1, port2].map((port): Channel => {
    onTestFinished(() => port.close());
    return {
      post: (message) => port.postMessage(message),
      onMessage: (take) => void port.on('message', take),
      onClose: (closed) => void port.once('close', closed),
    };
  });
  if (here === undefined || there === undefined) throw new Error('no channel');
  serveStore(methods as Store)(there);
  return { store: new ChannelStore(here), cut: () => port2.close() };
}

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail(),
    (error: unknown) => error,
  );

it('an error keeps its type', async () => {
  const damaged = new StoreError('DAMAGED', 'restore a backup', { damaged_seqs: { from: 3, through: 7 } });
  const { store } = over({
    records: () => Promise.reject(damaged),
    runs: () => Promise.reject(new BadCursor('not a cursor')),
    head: () => Promise.reject(new RangeError('too far')),
  });
  const record = await caught(store.records({ since_seq: 0, limit: 1 }));
  expect(record).toBeInstanceOf(StoreError);
  expect(record).toMatchObject({ code: 'DAMAGED', message: 'restore a backup', damaged_seqs: { from: 3, through: 7 } });
  expect(await caught(store.runs({ limit: 1 }))).toBeInstanceOf(BadCursor);
  expect(await caught(store.head())).toMatchObject({ name: 'RangeError', message: 'too far' });
});

it('once the other end is gone, all calls are refused, including those that wait', async () => {
  const { store, cut } = over({ head: () => new Promise(() => undefined), whenChecked: () => new Promise(() => undefined) });
  const [waiting, checked] = [caught(store.head()), store.whenChecked()];
  cut();
  const closed = { name: 'StoreError', code: 'CLOSED' };
  expect(await waiting).toMatchObject(closed);
  for (const work of [store.open(), store.commit([], []), store.now(), store.counters.read(['a'])])
    expect(await caught(work)).toMatchObject(closed);
  expect(await Promise.race([checked.then(() => 'checked'), Promise.resolve('not known')])).toBe('not known');
  await store.close();
});

it('a store that is being closed waits for earlier calls, and accepts no more', async () => {
  const answer = Promise.withResolvers<number>();
  const { store } = over({ now: () => answer.promise, whenChecked: () => new Promise(() => undefined) });
  void store.whenChecked();
  const now = store.now();
  const closed = store.close().then(() => 'closed');
  expect(await caught(store.now())).toMatchObject({ code: 'CLOSED' });
  answer.resolve(7);
  expect(await Promise.all([now, closed])).toEqual([7, 'closed']);
});

it('only the call that cannot be cloned is refused', async () => {
  const { store } = over({ now: async () => 7, readMeta: async (key) => key });
  await expect(store.readMeta((() => 'a function') as unknown as string)).rejects.toThrow('could not be cloned');
  expect(await store.now()).toBe(7);
});

it('a row with a number that cannot be cloned arrives unchanged', async () => {
  const seen: string[] = [];
  const { store } = over({
    commit: async (changes) => {
      seen.push(JSON.stringify(changes));
      return [];
    },
  });
  const run = parseBody('{"run_id":"a","n":12345678901234567890}') as RunRow;
  const change: RunChange = { run, expect: null, put_content: [], drop_content: [], settlements: [] };
  await store.commit([change], []);
  expect(seen[0]).toContain('"n":12345678901234567000');
});

it('reports that copying is not supported', async () => {
  const { store } = over({});
  await expect(store.load()).rejects.toThrow('cannot copy the store: open the runs-db directly');
  const read = async (): Promise<void> => {
    for await (const item of store.dump()) expect.fail(item);
  };
  await expect(read()).rejects.toThrow('cannot copy the store: open the runs-db directly');
});
