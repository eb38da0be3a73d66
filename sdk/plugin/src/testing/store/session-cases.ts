import { GENESIS, type RunChange, type RunRow, type Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, moveRun, sampleRun } from './builders.ts';
import { commitSealed, verifiedChain } from './chain.ts';
import type { ReplicaContext, StoreCases } from './fixture.ts';

const ended = (session: string | undefined, fields: Partial<RunRow> = {}): RunChange =>
  createRun(sampleRun({ status: 'completed', ...(session !== undefined && { session }), ...fields }));

interface Placed {
  readonly hash: string;
  readonly run_id: string;
  readonly session?: { readonly id: string; readonly number: number; readonly prev_hash: string };
}

/** The positions of the records of a session, in the order of the ledger. Checks that they form one chain. */
async function sessionIn(store: Store, id: string, own: (run_id: string) => boolean = () => true): Promise<Placed[]> {
  const records = (await verifiedChain(store)).map(({ bytes }): Placed => JSON.parse(bytes));
  const those = records.filter(({ run_id, session }) => session?.id === id && own(run_id));
  let prev_hash = GENESIS;
  for (const [index, { hash, session }] of those.entries()) {
    assert.deepEqual(session, { id, number: index + 1, prev_hash });
    prev_hash = hash;
  }
  return those;
}

export const sessionCases: StoreCases = {
  'numbers and links the records of a session, in one commit and over several': async ({ store }) => {
    await commitSealed(store, [ended('s'), ended(undefined), ended('s'), ended('t')]);
    await commitSealed(store, [ended('t'), ended('s')]);
    assert.equal((await sessionIn(store, 's')).length, 3);
    assert.equal((await sessionIn(store, 't')).length, 2);
  },

  'gives no number to a change that failed, nor to a run that has not ended': async ({ store }) => {
    const known = sampleRun({ session: 's' });
    await store.commit([createRun(known)], []);
    await commitSealed(store, [ended('s'), createRun(known), ended('s'), moveRun(known, 'completed')]);
    assert.equal((await sessionIn(store, 's')).length, 3);
  },

  'numbers the sessions of each principal separately': async ({ store }) => {
    const changes = ['alice', 'bob', 'alice'].map((principal_id) => ended('s', { principal_id }));
    await commitSealed(store, changes);
    for (const [principal, count] of [
      ['alice', 2],
      ['bob', 1],
    ] as const) {
      const runs = changes.filter(({ run }) => run.principal_id === principal).map(({ run }) => run.run_id);
      assert.equal((await sessionIn(store, 's', (run_id) => runs.includes(run_id))).length, count);
    }
  },
};

export const sessionReopenCases: StoreCases = {
  'continues the chain of a session after a restart': async ({ store, reopen }) => {
    await commitSealed(store, [ended('s'), ended('s')]);
    const again = await reopen();
    await commitSealed(again, [ended('s')]);
    assert.equal((await sessionIn(again, 's')).length, 3);
  },
};

export const sessionDumpCases: StoreCases = {
  'dumps the last record of each session': async ({ store }) => {
    await commitSealed(store, [ended('s'), ended('s')]);
    const [, last] = await sessionIn(store, 's');
    const heads: unknown[] = [];
    for await (const item of store.dump()) if (item.kind === 'session') heads.push(item.head);
    const [head] = heads as { key: string; number: number; hash: string }[];
    assert.equal(heads.length, 1);
    assert.present(head, 'the last record of the session');
    assert.deepEqual([head.number, head.hash], [2, last?.hash]);
    assert.deepEqual(await store.sessionHead(head.key), head);
    assert.equal(await store.sessionHead('none'), null);
    assert.equal(await store.sessionHead('x'.repeat(5000)), null);
  },
};

export const sessionReplicaCases: StoreCases<ReplicaContext> = {
  'instances that write records of one session at the same time form one chain of it': async ({ store, another }) => {
    const stores = [store, await another(), await another()];
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => commitSealed(stores[n % 3] ?? store, [ended('s'), ended(n % 2 === 0 ? 's' : 't')])),
    );
    assert.equal((await sessionIn(store, 's')).length, 90);
    assert.equal((await sessionIn(store, 't')).length, 30);
  },
};
