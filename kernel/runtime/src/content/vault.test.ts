import { randomUUID } from 'node:crypto';
import type { ContentItem } from '@svc/contracts';
import { newRunId } from '@svc/kernel/admission';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TroubledStore } from '../records/ledger/test-store.ts';
import type { ContentKeys } from './key-tree.ts';
import { KeyTree } from './key-tree.ts';
import { ContentVault, KEY_CONTENT } from './vault.ts';

const keysOf = (newest: KeyTree, ...older: KeyTree[]): ContentKeys => ({ newest, older, forget: null });
const GONE = { code: 'SVC-RUN-005', status: 410 };

/** A store that keeps content in memory without a run. */
class Shelf extends TroubledStore {
  readonly items = new Map<string, Uint8Array>();

  put(run_id: string, items: readonly ContentItem[]): void {
    for (const { name, bytes } of items) this.items.set(`${run_id} ${name}`, bytes);
  }

  override async content(run_id: string, name: string): Promise<Uint8Array | null> {
    return this.items.get(`${run_id} ${name}`) ?? null;
  }
}

function scene(keys = keysOf(KeyTree.generate())) {
  const store = new Shelf();
  const vault = new ContentVault(store, keys);
  const put = (run_id: string, ...items: ContentItem[]) => {
    const owner = { run_id, contentKey: null };
    store.put(run_id, vault.seal(owner, items));
    return owner;
  };
  return { store, vault, put };
}

const item = (name: string, text: string, expires_at: number | null = null): ContentItem => ({
  name,
  bytes: Buffer.from(text),
  expires_at,
});

it('returns what was sealed, and reveals nothing about it to the store', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 8, maxLength: 300 }), async (bytes) => {
      const { store, vault, put } = scene();
      const run_id = randomUUID();
      put(run_id, { name: 'pause', bytes, expires_at: null });
      expect(Buffer.from((await vault.read(run_id, 'pause'))?.bytes ?? [])).toEqual(Buffer.from(bytes));
      const stored = Buffer.concat([...store.items.values()]);
      expect(stored.includes(Buffer.from(bytes))).toBe(false);
      expect(stored.length).toBe(bytes.length + 29 + 8 + 8 + 61);
    }),
  );
});

it('stores equal content in different forms, with one key for all items of a run', async () => {
  const { store, vault, put } = scene();
  const [a, b] = [randomUUID(), randomUUID()];
  const owner = put(a, item('pause', 'same'), item('request', 'same'));
  put(b, item('pause', 'same'));
  expect(new Set([...store.items.values()].map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(5);
  store.put(a, vault.seal(owner, [item('answer', 'later')]));
  for (const name of ['pause', 'request', 'answer']) expect(await vault.read(a, name)).not.toBeNull();
  expect(await vault.read(a, 'none')).toBeNull();
});

it('a piece does not open for another run or another name, or if it was altered', async () => {
  const { store, vault, put } = scene();
  const [a, b] = [randomUUID(), randomUUID()];
  put(a, item('pause', 'of a'), item('request', 'request of a'));
  put(b, item('pause', 'of b'));
  const original = new Map(store.items);
  const swaps: [string, string][] = [
    [`${a} pause`, `${b} pause`],
    [`${a} pause`, `${a} request`],
    [`${a} ${KEY_CONTENT}`, `${b} ${KEY_CONTENT}`],
  ];
  for (const [to, from] of swaps) {
    store.items.set(to, original.get(from) ?? new Uint8Array());
    await expect(vault.read(a, 'pause')).rejects.toMatchObject(GONE);
    store.items.set(to, original.get(to) ?? new Uint8Array());
  }
  // Content of another run stays unreadable, even when stored together with that run's key.
  store.items.set(`${a} pause`, original.get(`${b} pause`) ?? new Uint8Array());
  store.items.set(`${a} ${KEY_CONTENT}`, original.get(`${b} ${KEY_CONTENT}`) ?? new Uint8Array());
  await expect(vault.read(a, 'pause')).rejects.toMatchObject(GONE);
  for (const [name, bytes] of original) {
    if (!name.startsWith(a)) continue;
    for (const at of [bytes.length - 1, bytes.length - 20]) {
      store.items.clear();
      for (const [kept, value] of original) store.items.set(kept, Uint8Array.from(value));
      const altered = store.items.get(name);
      if (altered !== undefined) altered[at] = (altered[at] ?? 0) ^ 1;
      const read = name.endsWith('request') ? 'request' : 'pause';
      await expect(vault.read(a, read)).rejects.toMatchObject(GONE);
    }
  }
});

it('an older key still unwraps, and no other key does', async () => {
  const [first, second, third] = [KeyTree.generate(), KeyTree.generate(), KeyTree.generate()];
  const { store, put } = scene(keysOf(first));
  const run_id = randomUUID();
  put(run_id, item('pause', 'text', null), item('answer', 'text', 5000));
  const after = new ContentVault(store, keysOf(second, first));
  expect(await after.read(run_id, 'pause')).not.toBeNull();
  await expect(new ContentVault(store, keysOf(third)).read(run_id, 'pause')).rejects.toMatchObject(GONE);
  const rewrapped = await after.rewrapped(run_id);
  expect(rewrapped).toMatchObject({ name: KEY_CONTENT, expires_at: null });
  store.put(run_id, rewrapped === null ? [] : [rewrapped]);
  expect(await after.rewrapped(run_id)).toBeNull();
  expect(await new ContentVault(store, keysOf(second)).read(run_id, 'pause')).not.toBeNull();
});

it('the key of a run is kept as long as the last of its items, also with another content key', async () => {
  const [first, second] = [KeyTree.generate(), KeyTree.generate()];
  const { store, vault } = scene(keysOf(first));
  const run_id = randomUUID();
  const items = vault.seal({ run_id, contentKey: null }, [item('answer', 'a', 5000), item('request', 'r', 7000)]);
  expect(items[0]).toMatchObject({ name: KEY_CONTENT, expires_at: 7000 });
  store.put(run_id, items);
  expect(await new ContentVault(store, keysOf(second, first)).rewrapped(run_id)).toMatchObject({ expires_at: 7000 });
  expect(vault.seal({ run_id, contentKey: null }, [])).toEqual([]);
});

it('plaintext is read only for runs that were created before content was sealed', async () => {
  const { store, vault } = scene();
  let meta: string | null = null;
  const opened = Object.assign(store, {
    readMeta: async () => meta,
    writeMeta: async (_: string, __: string | null, value: string) => {
      meta = value;
      return true;
    },
  });
  await vault.open(1_000_000);
  const [before, after] = [newRunId(999_999), newRunId(1_000_000)];
  for (const run_id of [before, after]) opened.put(run_id, [item('pause', '{"request":{}}')]);
  expect((await vault.read(before, 'pause'))?.key).toBeNull();
  await expect(vault.read(after, 'pause')).rejects.toMatchObject(GONE);
});

it('an item that is removed during a read is missing, and an item that is written again is read', async () => {
  const { store, vault, put } = scene();
  const run_id = randomUUID();
  put(run_id, item('pause', 'text'));
  const read = store.content.bind(store);
  let meanwhile: () => void = () => undefined;
  store.content = async (...asked) => {
    const found = await read(...asked);
    const once = meanwhile;
    meanwhile = () => undefined;
    once();
    return found;
  };
  meanwhile = () => void put(run_id, item('pause', 'other'));
  expect(String((await vault.read(run_id, 'pause'))?.bytes)).toBe('other');
  meanwhile = () => store.items.clear();
  expect(await vault.read(run_id, 'pause')).toBeNull();
});

it('an erasure waits for another one that is in progress', async () => {
  const { store } = scene();
  const forgotten: string[] = [];
  const forget = async (leaves: readonly string[]): Promise<void> => void forgotten.push(...leaves);
  let held = 2;
  Object.assign(store, {
    acquireLease: async (name: string, holder: string) => (held-- > 0 ? null : { name, holder, token: 1 }),
    releaseLease: async () => undefined,
  });
  const vault = new ContentVault(store, { newest: KeyTree.generate(), older: [], forget });
  expect(await vault.erase('run')).toBe(true);
  expect(forgotten).toEqual(['run']);
});

it('erasures that wait for another change the content key once, and fail together', async () => {
  const { store } = scene();
  Object.assign(store, {
    acquireLease: async (name: string, holder: string) => ({ name, holder, token: 1 }),
    releaseLease: async () => undefined,
  });
  const changes: string[][] = [];
  const keys = {
    newest: KeyTree.generate(),
    older: [],
    forget: async (leaves: readonly string[]) => {
      changes.push([...leaves]);
      if (leaves.includes('d')) throw new Error('disk full');
      keys.newest = keys.newest.without(...leaves);
    },
  };
  const vault = new ContentVault(store, keys);
  expect(await Promise.all(['a', 'b', 'c'].map((run_id) => vault.erase(run_id)))).toEqual([true, true, true]);
  expect(changes.flat()).toEqual(['a', 'b', 'c']);
  expect(changes.length).toBeLessThan(3);
  for (const run_id of ['a', 'b', 'c'])
    expect([run_id, vault.remembers(run_id), await vault.erase(run_id)]).toEqual([run_id, false, true]);
  expect(changes.flat()).toHaveLength(3);
  const many = Array.from({ length: 200 }, (_, n) => `run ${n}`);
  expect(await Promise.all(many.map((run_id) => vault.erase(run_id)))).toEqual(many.map(() => true));
  expect(changes.splice(0).flat().slice(3)).toEqual(many);
  const [failed, other] = await Promise.allSettled([vault.erase('d'), vault.erase('e')]);
  expect([failed, other]).toMatchObject([{ reason: { code: 'SVC-STORE-001' } }, { reason: { code: 'SVC-STORE-001' } }]);
  expect(vault.remembers('e')).toBe(true);
  expect(await vault.erase('e')).toBe(true);
});
