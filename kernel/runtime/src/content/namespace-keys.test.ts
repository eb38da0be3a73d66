import { expect, it } from 'vitest';
import { type ContentKeys, KeyTree } from './key-tree.ts';
import { NamespaceKeys } from './namespace-keys.ts';
import { TestMetaStore } from './test-meta-store.ts';

const GONE = { code: 'SVC-RAG-003', status: 410 };
const BUSY = { code: 'SVC-BUSY-001' };
const nothing = async () => undefined;
const keysOf = (newest: KeyTree, ...older: KeyTree[]): ContentKeys => ({ newest, older, forget: null });

/** A content key that the gateway itself stores. */
function ownKey(first = KeyTree.generate()): ContentKeys & { newest: KeyTree } {
  const keys = {
    newest: first,
    older: [],
    forget: async (leaves: readonly string[]) => {
      keys.newest = keys.newest.without(...leaves);
    },
  };
  return keys;
}

it('creates one key for a namespace, however many callers ask at once, and finds it again', async () => {
  const store = new TestMetaStore();
  const content = keysOf(KeyTree.generate());
  const [a, b] = [new NamespaceKeys(store, content), new NamespaceKeys(store, content)];
  expect(await a.find('n')).toBeNull();
  const made = await Promise.all([a.ensure('n'), b.ensure('n'), a.ensure('n'), b.ensure('other')]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(2);
  expect(await b.find('n')).toEqual(made[0]);
  expect(await a.holds('n', made[0])).toBe(true);
  expect(await a.holds('n', made[3])).toBe(false);
});

it('stores no key unencrypted', async () => {
  const store = new TestMetaStore();
  const { plain } = await new NamespaceKeys(store, keysOf(KeyTree.generate())).ensure('n');
  const stored = [...store.meta.values()].join();
  for (const form of ['hex', 'base64'] as const) expect(stored).not.toContain(plain.toString(form));
});

it('a namespace key is lost with its content key, and no new key replaces it', async () => {
  const store = new TestMetaStore();
  await new NamespaceKeys(store, keysOf(KeyTree.generate())).ensure('n');
  const others = new NamespaceKeys(store, keysOf(KeyTree.generate()));
  await expect(others.find('n')).rejects.toMatchObject(GONE);
  await expect(others.ensure('n')).rejects.toMatchObject(GONE);
  expect(await others.erase('n', nothing)).toBe(false);
  expect(await others.find('n')).toBeNull();
});

it('refuses a key that was changed in the store, or that belongs to another namespace or id', async () => {
  const store = new TestMetaStore();
  const keys = new NamespaceKeys(store, keysOf(KeyTree.generate()));
  const { id } = await keys.ensure('n');
  const { id: other } = await keys.ensure('other');
  store.meta.set('rag/key/n', (store.meta.get('rag/key/n') ?? '').replace(id, other));
  await expect(keys.find('n')).rejects.toMatchObject(GONE);
});

it('gives an erased namespace no key, not even from earlier copies of the store, and then a new one', async () => {
  const store = new TestMetaStore();
  const content = ownKey();
  const keys = new NamespaceKeys(store, content);
  const before = await keys.ensure('n');
  const other = await keys.ensure('other');
  const copy = Object.assign(new TestMetaStore(), { meta: new Map(store.meta) });
  expect(await keys.erase('n', nothing)).toBe(true);
  expect(await keys.find('n')).toBeNull();
  expect(await keys.holds('n', before)).toBe(false);
  const restored = new NamespaceKeys(copy, content);
  await expect(restored.find('n')).rejects.toMatchObject(GONE);
  expect(await restored.find('other')).toEqual(other);
  expect((await keys.ensure('n')).id).not.toBe(before.id);
});

it('reports that copies stay readable if the operator set the key, an older key is left, or there was none', async () => {
  const older = KeyTree.generate();
  for (const content of [keysOf(KeyTree.generate()), { ...ownKey(), older: [older] }]) {
    const keys = new NamespaceKeys(new TestMetaStore(), content);
    await keys.ensure('n');
    expect(await keys.erase('n', nothing)).toBe(false);
    expect(await keys.find('n')).toBeNull();
  }
  expect(await new NamespaceKeys(new TestMetaStore(), ownKey()).erase('n', nothing)).toBe(false);
});

it('stays closed from before the documents are removed until its key is gone, and a failed erasure can be repeated', async () => {
  const store = new TestMetaStore();
  const content = ownKey();
  const keys = new NamespaceKeys(store, content);
  const before = await keys.ensure('n');
  const failing = keys.erase('n', async () => {
    expect(await keys.holds('n', before)).toBe(false);
    await expect(keys.ensure('n')).rejects.toMatchObject(BUSY);
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  await expect(keys.find('n')).rejects.toMatchObject(BUSY);
  expect(await keys.erase('n', nothing)).toBe(true);
  expect((await keys.ensure('n')).id).not.toBe(before.id);
});

it('a rotation encrypts every key with the newest content key, so that the older one can be removed', async () => {
  const store = new TestMetaStore();
  const [older, newest] = [KeyTree.generate(), KeyTree.generate()];
  const before = new NamespaceKeys(store, keysOf(older));
  const [a, b] = [await before.ensure('a'), await before.ensure('b')];
  await before.ensure('erased');
  await before.erase('erased', nothing);
  const during = new NamespaceKeys(store, keysOf(newest, older));
  expect(await during.find('a')).toEqual(a);
  expect(await during.rewrap()).toEqual({ namespaces: 2, left: 0 });
  expect(await during.rewrap()).toEqual({ namespaces: 0, left: 0 });
  const after = new NamespaceKeys(store, keysOf(newest));
  expect([await after.find('a'), await after.find('b'), await after.find('erased')]).toEqual([a, b, null]);
  await expect(before.find('a')).rejects.toMatchObject(GONE);
});

it('a rotation does not restore a key that is erased at the same time', async () => {
  const [older, newest] = [KeyTree.generate(), KeyTree.generate()];
  const store = new TestMetaStore();
  await new NamespaceKeys(store, keysOf(older)).ensure('n');
  const keys = new NamespaceKeys(store, keysOf(newest, older));
  const write = store.writeMeta.bind(store);
  store.writeMeta = async (...args) => {
    store.writeMeta = write;
    await keys.erase('n', nothing);
    return write(...args);
  };
  expect(await keys.rewrap()).toEqual({ namespaces: 0, left: 1 });
  expect(await keys.find('n')).toBeNull();
});
