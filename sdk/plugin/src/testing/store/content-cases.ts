import type { Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { createRun, item, moveRun, next, sampleRun } from './builders.ts';
import type { StoreCases } from './fixture.ts';

async function textOf(store: Store, run_id: string, name: string): Promise<string | null> {
  const bytes = await store.content(run_id, name);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

export const contentCases: StoreCases = {
  'returns content byte for byte': async ({ store }) => {
    const run = sampleRun();
    const samples = [new Uint8Array(0), Uint8Array.from({ length: 256 }, (_, i) => i), new Uint8Array(3_000_000).fill(0xff)];
    const put_content = samples.map((bytes, i) => ({ name: `sample-${i}`, bytes, expires_at: null }));
    await store.commit([createRun(run, { put_content })], []);
    for (const [i, bytes] of samples.entries()) {
      const found = await store.content(run.run_id, `sample-${i}`);
      assert.ok(found !== null && Buffer.from(bytes).equals(found), 'the bytes that were put', found);
    }
    const own = await store.content(run.run_id, 'sample-1');
    own?.fill(0);
    const found = await store.content(run.run_id, 'sample-1');
    assert.equal(found?.[255], 255, 'returns copies of content: changing one does not change the store');
  },

  'returns null for content that was never stored': async ({ store }) => {
    const [run, other] = [sampleRun(), sampleRun()];
    await store.commit([createRun(run, { put_content: [item('payload', 'x')] }), createRun(other)], []);
    assert.equal(await textOf(store, run.run_id, 'payload'), 'x');
    for (const name of ['pay', 'payload2', '']) assert.equal(await store.content(run.run_id, name), null);
    assert.equal(await store.content(other.run_id, 'payload'), null);
  },

  'replaces an item of the same name, including its expiry': async ({ store, clock }) => {
    const run = sampleRun();
    const now = clock.now();
    await store.commit([createRun(run, { put_content: [item('payload', 'one', now + 1000)] })], []);
    await store.commit([moveRun(run, 'paused', { put_content: [item('payload', 'two', now + 5000)] })], []);
    assert.equal(await store.expireContent(now + 1000, 10), 0);
    assert.equal(await textOf(store, run.run_id, 'payload'), 'two');
    assert.equal(await store.expireContent(now + 5000, 10), 1);
    assert.equal(await textOf(store, run.run_id, 'payload'), null);
  },

  'does not return an expired item, even before it is deleted': async ({ store, clock }) => {
    const run = sampleRun();
    const put_content = [item('short', 's', clock.now() + 1000), item('kept', 'k')];
    await store.commit([createRun(run, { put_content })], []);
    assert.equal(await textOf(store, run.run_id, 'short'), 's');
    clock.advance(1000);
    assert.equal(await textOf(store, run.run_id, 'short'), null);
    assert.equal(await textOf(store, run.run_id, 'kept'), 'k');
  },

  'drops before it puts, and ignores a drop of nothing': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run, { put_content: [item('one', '1'), item('two', '2'), item('three', '3')] })], []);
    const change = moveRun(run, 'paused', { drop_content: ['one', 'two', 'none'], put_content: [item('two', 'new')] });
    await store.commit([change], []);
    assert.deepEqual(await Promise.all(['one', 'two', 'three'].map((name) => textOf(store, run.run_id, name))), [
      null,
      'new',
      '3',
    ]);
  },

  'applies puts and drops of two changes to one run in order': async ({ store }) => {
    const run = sampleRun();
    await store.commit(
      [
        createRun(run, { put_content: [item('one', '1'), item('two', '2')] }),
        moveRun(run, 'paused', { drop_content: ['one'], put_content: [item('two', 'new')] }),
      ],
      [],
    );
    assert.equal(await textOf(store, run.run_id, 'one'), null);
    assert.equal(await textOf(store, run.run_id, 'two'), 'new');
  },

  'erases all content of a run and returns the number of items': async ({ store }) => {
    const [run, other] = [sampleRun(), sampleRun()];
    const put_content = [item('one', '1'), item('two', '2', 1000), item('three', '3')];
    await store.commit([createRun(run, { put_content }), createRun(other, { put_content })], []);
    assert.equal(await store.eraseContent(run.run_id), 3);
    assert.equal(await store.eraseContent(run.run_id), 0);
    assert.equal(await textOf(store, run.run_id, 'one'), null);
    assert.equal(await textOf(store, other.run_id, 'one'), '1');
    assert.present(await store.run(run.run_id), 'the run');
    assert.equal(await store.expireContent(1000, 10), 1, 'does not count erased content as expired later');
  },

  'lists runs with content by id, starting at any id': async ({ store }) => {
    const runs = Array.from({ length: 5 }, () => sampleRun());
    const [without, ...others] = runs;
    const put_content = [item('one', '1'), item('two', '2', 1000)];
    await store.commit([...others.map((run) => createRun(run, { put_content })), createRun(without ?? sampleRun())], []);
    const run_ids = others.map(({ run_id }) => run_id).sort();
    assert.deepEqual(await store.runsWithContent('', 10), run_ids);
    assert.deepEqual(await store.runsWithContent('', 2), run_ids.slice(0, 2));
    assert.deepEqual(await store.runsWithContent(run_ids[1] ?? '', 2), run_ids.slice(2));
    assert.deepEqual(await store.runsWithContent(run_ids[3] ?? '', 2), []);
    await store.eraseContent(run_ids[0] ?? '');
    assert.deepEqual(await store.runsWithContent('', 1), run_ids.slice(1, 2));
  },

  'deletes expired content (inclusive) up to the limit, and nothing else': async ({ store }) => {
    const runs = [sampleRun(), sampleRun(), sampleRun()];
    await store.commit(
      runs.map((run, i) =>
        createRun(run, { put_content: [item('short', 's', 1000 + i), item('long', 'l', 2000), item('kept', 'k')] }),
      ),
      [],
    );
    assert.equal(await store.expireContent(999, 10), 0);
    assert.equal(await store.expireContent(1001, 1), 1);
    assert.equal(await store.expireContent(1001, 10), 1);
    assert.equal(await store.expireContent(1001, 10), 0);
    assert.equal(await store.expireContent(Number.MAX_SAFE_INTEGER, 10), 4);
    for (const { run_id } of runs) {
      assert.deepEqual(await Promise.all(['short', 'long', 'kept'].map((name) => textOf(store, run_id, name))), [
        null,
        null,
        'k',
      ]);
    }
  },

  'does not count dropped content as expired later': async ({ store }) => {
    const run = sampleRun();
    await store.commit([createRun(run, { put_content: [item('one', '1', 1000), item('two', '2', 1000)] })], []);
    const paused = next(run, 'paused');
    await store.commit([moveRun(run, 'paused', { drop_content: ['one'] })], []);
    await store.commit([moveRun(paused, 'running', { put_content: [item('two', 'kept')] })], []);
    assert.equal(await store.expireContent(1000, 10), 0);
    assert.equal(await textOf(store, run.run_id, 'two'), 'kept');
  },
};
