import { type Embedder, type NewVector, ProviderError, type RagDocument, type Vectors } from '@svc/contracts';
import { noopObserver } from '@svc/kernel/observing';
import { KeyTree, NamespaceKeys } from '@svc/runtime/content';
import { expect, it } from 'vitest';
import { NO_WORKERS } from '../../../kernel/kernel/src/workers/guard-workers.ts';
import { TestMetaStore } from '../../../kernel/runtime/src/content/test-meta-store.ts';
import { handClock } from '../../../kernel/runtime/src/test-parts.ts';
import { Rag } from './rag.ts';

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };
const SIGNAL = new AbortController().signal;

/** Namespace keys in a new store, wrapped with a content key of the operator. */
function newKeys(store = new TestMetaStore()): NamespaceKeys {
  return new NamespaceKeys(store, { newest: KeyTree.generate(), older: [], forget: null });
}

/** A Rag whose embedder returns this for each text, and whose store does nothing. */
function ragOf(answer: unknown) {
  const stored: unknown[] = [];
  const vectors: Vectors = {
    open: async () => undefined,
    upsert: async (_, documents) => stored.push(...documents),
    remove: async () => 0,
    clear: async () => 0,
    query: async () => [],
  };
  const embedder = { model: 'm', dimensions: 2, embed: async () => answer as readonly Float32Array[] };
  const clock = { now: () => 0, monotonic: () => 0 };
  const parts = {
    embedder,
    vectors,
    keys: newKeys(),
    index_pipeline: () => [],
    clock,
    workers: NO_WORKERS,
    logger: LOGGER,
    observer: noopObserver,
  };
  return { rag: new Rag(parts), parts, stored, vectors };
}

it.each([
  ['none', []],
  ['one too many', [Float32Array.of(1, 0), Float32Array.of(1, 0)]],
  ['too short', [Float32Array.of(1)]],
  ['no vector', [[1, 0]]],
  ['zero', [Float32Array.of(0, 0)]],
  ['not a number', [Float32Array.of(Number.NaN, 1)]],
  ['infinite', [Float32Array.of(Number.POSITIVE_INFINITY, 1)]],
  ['too long for single precision', [Float32Array.of(1e20, 1e20)]],
  ['too short for single precision', [Float32Array.of(1e-30, 1e-30)]],
])('refuses an answer of an embedder that is not the vector of the text: %s', async (_what, answer) => {
  const { rag, stored } = ragOf(answer);
  await expect(rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL)).rejects.toMatchObject({ code: 'SVC-PROV-001' });
  await expect(rag.retrieve('n', 'x', { k: 1, filter: {}, signal: SIGNAL })).rejects.toMatchObject({ code: 'SVC-PROV-001' });
  expect(stored).toEqual([]);
});

it('accepts any other vector', async () => {
  const { rag, stored } = ragOf([Float32Array.of(3e-3, -40)]);
  await rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL);
  expect(stored).toHaveLength(1);
});

it.each([
  ['vectors', async () => [Float32Array.of(1, 0)], true],
  ['another thing', async () => [], true],
  ['nothing, since it was given up', () => Promise.reject(new ProviderError('aborted')), true],
  ['nothing, and does not say what it cost', () => Promise.reject(new ProviderError('unavailable', { cost: 'unknown' })), true],
  ['that it is busy', () => Promise.reject(new ProviderError('rate_limited')), false],
] as const)('reports once whether an embedder that answers %s may have been paid', async (_what, embed, isPaid) => {
  const { parts } = ragOf([]);
  const rag = new Rag({ ...parts, embedder: { model: 'm', dimensions: 2, embed } });
  const paid: string[] = [];
  await rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL, () => paid.push('index')).catch(() => null);
  await rag.retrieve('n', 'x', { k: 1, filter: {}, signal: SIGNAL }, () => paid.push('retrieve')).catch(() => null);
  expect(paid).toEqual(isPaid ? ['index', 'retrieve'] : []);
});

it('does not call the embedder for a disconnected caller', async () => {
  const { rag } = ragOf([Float32Array.of(1, 0)]);
  const paid: string[] = [];
  const gone = rag.retrieve('n', 'x', { k: 1, filter: {}, signal: AbortSignal.abort() }, () => paid.push('retrieve'));
  await expect(gone).rejects.toMatchObject({ code: 'SVC-BUSY-001' });
  expect(paid).toEqual([]);
});

it('reports how long a failed embedder took', async () => {
  const clock = handClock();
  const took: [outcome: string, duration_ms: number][] = [];
  const observer = { ...noopObserver, rag: (_: string, outcome: string, ms: number) => void took.push([outcome, ms]) };
  const failing: Embedder = {
    model: 'm',
    dimensions: 2,
    embed: async () => {
      clock.advance(700);
      throw new ProviderError('timeout');
    },
  };
  const { vectors } = ragOf([]);
  const rag = new Rag({
    embedder: failing,
    vectors,
    keys: newKeys(),
    index_pipeline: () => [],
    clock,
    workers: NO_WORKERS,
    logger: LOGGER,
    observer,
  });
  await expect(rag.retrieve('n', 'x', { k: 1, filter: {}, signal: SIGNAL })).rejects.toMatchObject({ code: 'SVC-PROV-002' });
  expect(took).toEqual([['failed', 700]]);
});

/** Documents in memory, in the form in which a plugin stores them. Each query finds all of them. */
class Shelf implements Vectors {
  readonly stored = new Map<string, RagDocument>();
  beforeUpsert: () => Promise<unknown> = async () => undefined;

  async open(): Promise<void> {}

  async upsert(_collection: string, documents: readonly NewVector[]): Promise<number> {
    await this.beforeUpsert();
    for (const { document } of documents) this.stored.set(document.id, document);
    return documents.length;
  }

  async remove(_collection: string, ids: readonly string[]): Promise<number> {
    return ids.filter((id) => this.stored.delete(id)).length;
  }

  async clear(): Promise<number> {
    const count = this.stored.size;
    this.stored.clear();
    return count;
  }

  async query() {
    return [...this.stored.values()].map((document) => ({ document, score: 1 }));
  }
}

function scene() {
  const shelf = new Shelf();
  const store = new TestMetaStore();
  const embedder = { model: 'm', dimensions: 1, embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1)) };
  const clock = handClock();
  const parts = {
    embedder,
    vectors: shelf,
    index_pipeline: () => [],
    clock,
    workers: NO_WORKERS,
    logger: LOGGER,
    observer: noopObserver,
  };
  const rag = new Rag({ ...parts, keys: newKeys(store) });
  const found = async () => (await rag.retrieve('n', 'x', { k: 9, filter: {}, signal: SIGNAL })).map(({ document }) => document);
  const index = (...texts: string[]) =>
    rag.index(
      'n',
      texts.map((text) => ({ text, metadata: { lang: 'en' } })),
      'alice',
      SIGNAL,
    );
  return { shelf, store, rag, index, found, stranger: new Rag({ ...parts, keys: newKeys(store) }) };
}

const GONE = { code: 'SVC-RAG-003', status: 410 };

it('the stored documents contain metadata but no text, and found documents contain the text', async () => {
  const { shelf, index, found } = scene();
  await index('one text', 'another text');
  const [one] = shelf.stored.values();
  expect(one?.metadata).toEqual({ lang: 'en' });
  expect(JSON.stringify([...shelf.stored.values()])).not.toContain('text ');
  expect([...shelf.stored.values()].every(({ text }) => text.startsWith('svc-sealed:1:'))).toBe(true);
  expect((await found()).map(({ text }) => text)).toEqual(['one text', 'another text']);
});

it('a text of an earlier release is read unencrypted, and encrypted when it is indexed again', async () => {
  const { shelf, index, found } = scene();
  await index('old text');
  const [id = ''] = shelf.stored.keys();
  shelf.stored.set(id, { id, text: 'old text', metadata: { lang: 'en' } });
  expect(await found()).toEqual([{ id, text: 'old text', metadata: { lang: 'en' } }]);
  await index('old text');
  expect([...shelf.stored.values()].map(({ text }) => text.slice(0, 10))).toEqual(['svc-sealed']);
  expect((await found()).map(({ text }) => text)).toEqual(['old text']);
});

it('a text that cannot be decrypted is an error, and is not left out', async () => {
  const { shelf, index, found, stranger } = scene();
  await index('one text', 'another text');
  await expect(stranger.retrieve('n', 'x', { k: 9, filter: {}, signal: SIGNAL })).rejects.toMatchObject(GONE);
  await expect(stranger.index('n', [{ text: 'x', metadata: {} }], 'eve', SIGNAL)).rejects.toMatchObject(GONE);
  const [a = '', b = ''] = shelf.stored.keys();
  const [of_a, of_b] = [shelf.stored.get(a), shelf.stored.get(b)];
  if (of_a !== undefined && of_b !== undefined) shelf.stored.set(a, { ...of_a, text: of_b.text });
  await expect(found()).rejects.toMatchObject(GONE);
});

it('an erased namespace is empty, restored documents are unreadable, and new documents are accepted', async () => {
  const { shelf, rag, index, found } = scene();
  await index('one text', 'another text');
  const before = new Map(shelf.stored);
  expect(await rag.erase('n', 'alice')).toEqual({ namespace: 'n', deleted: 2, backups_unreadable: false });
  expect(await found()).toEqual([]);
  for (const [id, document] of before) shelf.stored.set(id, document);
  await expect(found()).rejects.toMatchObject(GONE);
  await rag.erase('n', 'alice');
  await index('one text');
  expect((await found()).map(({ text }) => text)).toEqual(['one text']);
});

it('documents that arrive while their namespace is erased are readable afterwards, whichever process stores them', async () => {
  const { shelf, rag, index, found } = scene();
  await index('before');
  shelf.beforeUpsert = async () => {
    shelf.beforeUpsert = async () => undefined;
    await rag.erase('n', 'alice');
    await index('one text');
  };
  await index('one text');
  expect((await found()).map(({ text }) => text)).toEqual(['one text']);
});

it('documents that arrive while their namespace is closed are removed again', async () => {
  const { shelf, rag, index } = scene();
  await index('before');
  const clear = shelf.clear.bind(shelf);
  const arriving = Promise.withResolvers<void>();
  shelf.beforeUpsert = async () => {
    // The erasure continues after a document has arrived that it did not see.
    shelf.clear = async () => {
      const count = await clear();
      cleared.resolve();
      await arriving.promise;
      return count;
    };
    erased = rag.erase('n', 'alice');
    await cleared.promise;
  };
  const cleared = Promise.withResolvers<void>();
  let erased: Promise<unknown> = Promise.resolve();
  await expect(index('one text')).rejects.toMatchObject({ code: 'SVC-BUSY-001' });
  expect(shelf.stored.size).toBe(0);
  arriving.resolve();
  await erased;
});

it('knows whether a namespace has a key or earlier documents', async () => {
  const { rag, vectors } = ragOf([Float32Array.of(1, 0)]);
  expect(await rag.holds('n')).toBe(false);
  await rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL);
  expect([await rag.holds('n'), await rag.holds('other')]).toEqual([true, false]);
  await rag.erase('n', 'alice');
  expect(await rag.holds('n')).toBe(false);
  vectors.query = async () => [{ document: { id: '1', text: 'in the clear', metadata: {} }, score: 1 }];
  expect(await rag.holds('n')).toBe(true);
  await expect(rag.holds('../n')).rejects.toMatchObject({ code: 'SVC-REQ-001' });
});
