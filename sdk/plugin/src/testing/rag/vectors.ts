import { type FoundDocument, isStoreError, type JsonObject, type NewVector, type Vectors } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { random as pseudoRandom } from '../cases/random.ts';

/** Storage for vectors under test. */
export interface VectorsFixture {
  /** Creates a new instance for the same storage, as after a restart. The suite opens and closes it. The previous one is closed first. */
  make(): Vectors;
  /** The folder to pass to `open`. */
  readonly folder: string | null;
  /** Removes the storage. Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface VectorsConformanceOptions {
  /** Called once per case. */
  open(): Promise<VectorsFixture>;
  /** Whether its index may miss some of the nearest documents. If so, the comparison with a linear search is skipped. */
  approximate?: boolean;
}

const EXACT = 'returns the same as a search through all documents';
const NEVER = new AbortController().signal;
const MADE_BY = { model: 'test-model', dimensions: 3 };
const C = 'svc-test';

const doc = (id: string, vector: number[], metadata: JsonObject = {}, text = `text of ${id}`): NewVector => ({
  document: { id, text, metadata },
  vector: Float32Array.from(vector),
});
const ids = (found: readonly FoundDocument[]): string[] => found.map(({ document }) => document.id);

class Subject {
  readonly #fixture: VectorsFixture;
  vectors: Vectors;

  constructor(fixture: VectorsFixture) {
    this.#fixture = fixture;
    this.vectors = fixture.make();
  }

  open(made_by = MADE_BY): Promise<void> {
    return this.vectors.open({ folder: this.#fixture.folder, ...made_by });
  }

  async reopen(made_by = MADE_BY): Promise<void> {
    await this.vectors.close?.();
    this.vectors = this.#fixture.make();
    await this.open(made_by);
  }

  query(vector: number[], k = 10, filter: JsonObject = {}, collection = C): Promise<readonly FoundDocument[]> {
    return this.vectors.query(collection, Float32Array.from(vector), k, filter, NEVER);
  }
}

type Run = (subject: Subject) => Promise<void>;

const ODD_METADATA: JsonObject = {
  'é "quoted" \\ 😀': ['a', 1, -0.5, 1e21, true, null, { deep: [[]] }],
  __proto: 'p',
  empty: '',
  "quote ' and $1 %": 'x',
};

const CASES: Readonly<Record<string, Run>> = {
  'returns the nearest by cosine first, with their scores': async (subject) => {
    const { vectors } = subject;
    await vectors.upsert(C, [doc('far', [-1, 0, 0]), doc('near', [3, 0.1, 0]), doc('across', [0, 5, 0])]);
    const found = await subject.query([10, 0, 0]);
    assert.deepEqual(ids(found), ['near', 'across', 'far']);
    const expected = [3 / Math.hypot(3, 0.1), 0, -1];
    for (const [i, { score }] of found.entries())
      assert.ok(Math.abs(score - (expected[i] ?? Number.NaN)) < 1e-5, `a score of ${expected[i]}`, score);
  },

  'returns at most k documents': async (subject) => {
    await subject.vectors.upsert(
      C,
      Array.from({ length: 150 }, (_, n) => doc(`d${n}`, [1, n / 100, 0])),
    );
    assert.deepEqual(ids(await subject.query([1, 0, 0], 2)), ['d0', 'd1']);
    assert.equal((await subject.query([1, 0, 0], 100)).length, 100);
  },

  'returns nothing from an unknown collection, and keeps collections apart': async (subject) => {
    const { vectors } = subject;
    assert.deepEqual(await subject.query([1, 0, 0]), []);
    await vectors.upsert('svc-a', [doc('a', [1, 0, 0])]);
    await vectors.upsert('svc-A', [doc('b', [1, 0, 0])]);
    assert.deepEqual(ids(await subject.query([1, 0, 0], 10, {}, 'svc-a')), ['a']);
    assert.deepEqual(ids(await subject.query([1, 0, 0], 10, {}, 'svc-A')), ['b']);
    assert.deepEqual(await subject.query([1, 0, 0], 10, {}, 'svc-b'), []);
  },

  'does not add an identical document again; replaces one with the same id': async (subject) => {
    const { vectors } = subject;
    assert.equal(await vectors.upsert(C, [doc('a', [1, 0, 0]), doc('b', [0, 1, 0])]), 2);
    assert.equal(await vectors.upsert(C, [doc('a', [1, 0, 0]), doc('c', [0, -1, 0])]), 1);
    assert.equal((await subject.query([1, 0, 0])).length, 3);
    assert.equal(await vectors.upsert(C, [doc('a', [0, 0, 2], { v: 2 }, 'a different text')]), 0);
    const [first] = await subject.query([0, 0.1, 1], 1);
    assert.equal(first?.document.id, 'a');
    assert.deepEqual({ ...first.document }, { id: 'a', text: 'a different text', metadata: { v: 2 } });
    await subject.reopen();
    assert.deepEqual(ids(await subject.query([1, 0, 0])).sort(), ['a', 'b', 'c']);
    assert.equal((await subject.query([0, 0, 1], 10, { v: 2 })).length, 1);
  },

  'returns text and metadata unchanged': async (subject) => {
    const text = 'line\n\ttab "quotes" \\ é😀\u2028 \u0001 $1 %s \'; --';
    await subject.vectors.upsert(C, [doc('odd', [1, 0, 0], ODD_METADATA, text)]);
    for (const again of [false, true]) {
      if (again) await subject.reopen();
      const [found] = await subject.query([1, 0, 0]);
      assert.equal(found?.document.text, text);
      assert.deepEqual({ ...found.document.metadata }, ODD_METADATA);
    }
  },

  'filters by fields that exist and are equal': async (subject) => {
    await subject.vectors.upsert(C, [
      doc('one', [1, 0, 0], { lang: 'en', year: 1, tags: ['a', 'b'], owner: { name: 'x', id: 1 }, gone: null }),
      doc('two', [1, 0.1, 0], { lang: 'de', year: '1', tags: ['b', 'a'], owner: { name: 'x', id: 1, more: true } }),
    ]);
    const cases: readonly [JsonObject, string[]][] = [
      [{}, ['one', 'two']],
      [{ lang: 'en' }, ['one']],
      [{ lang: 'en', year: 2 }, []],
      [{ year: 1 }, ['one']],
      [{ year: '1' }, ['two']],
      [{ tags: ['a', 'b'] }, ['one']],
      [{ owner: { id: 1, name: 'x' } }, ['one']],
      [{ gone: null }, ['one']],
      [{ "not'there": null }, []],
    ];
    for (const [filter, expected] of cases)
      assert.deepEqual(ids(await subject.query([1, 0, 0], 10, filter)), expected, JSON.stringify(filter));
    // A distant document is found if the filter excludes all nearer ones.
    const near = Array.from({ length: 300 }, (_, n) => doc(`n${n}`, [1, n / 1e5, 0], { lang: 'fr' }));
    await subject.vectors.upsert(C, [...near, doc('hidden', [-1, 0, 0], { lang: 'it' })]);
    assert.deepEqual(ids(await subject.query([1, 0, 0], 3, { lang: 'it' })), ['hidden']);
  },

  'keeps everything across a restart': async (subject) => {
    const batches = Array.from({ length: 5 }, (_, b) => Array.from({ length: 40 }, (_, n) => doc(`${b}-${n}`, [1, b, n])));
    for (const batch of batches) await subject.vectors.upsert(C, batch);
    const before = await subject.query([1, 2, 3], 100);
    await subject.reopen();
    assert.deepEqual(await subject.query([1, 2, 3], 100), before);
    assert.equal(await subject.vectors.upsert(C, batches.flat()), 0);
  },

  'stores concurrent documents once each': async (subject) => {
    const batches = Array.from({ length: 12 }, (_, b) => [doc(`own-${b}`, [1, b, 0]), doc('shared', [0, 0, 1])]);
    const added = await Promise.all(batches.map((batch) => subject.vectors.upsert(C, batch)));
    assert.equal(
      added.reduce((sum, count) => sum + count, 0),
      13,
    );
    assert.equal((await subject.query([1, 0, 0], 100)).length, 13);
  },

  [EXACT]: async (subject) => {
    await subject.vectors.close?.();
    await subject.reopen({ model: 'test-model', dimensions: 24 });
    const random = pseudoRandom(7);
    const vector = (): number[] => Array.from({ length: 24 }, () => random() * 2 - 1);
    const documents = Array.from({ length: 600 }, (_, n) => doc(`d${n}`, vector()));
    for (let at = 0; at < documents.length; at += 200) await subject.vectors.upsert(C, documents.slice(at, at + 200));
    for (let turn = 0; turn < 5; turn += 1) {
      const asked = vector();
      const expected = documents
        .map(({ document, vector: stored }) => ({ id: document.id, score: cosine(asked, [...stored]) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 12);
      assert.deepEqual(
        ids(await subject.query(asked, 12)),
        expected.map(({ id }) => id),
      );
    }
  },

  'empties a collection permanently, and accepts documents again': async (subject) => {
    const documents = Array.from({ length: 30 }, (_, n) => doc(`d${n}`, [1, n / 100, 0]));
    await subject.vectors.upsert(C, documents);
    await subject.vectors.upsert('svc-other', documents.slice(0, 2));
    assert.equal(await subject.vectors.clear(C), 30);
    assert.equal(await subject.vectors.clear(C), 0);
    assert.equal(await subject.vectors.clear('svc-nobody'), 0);
    for (const again of [false, true]) {
      if (again) await subject.reopen();
      assert.deepEqual(await subject.query([1, 0, 0]), []);
      assert.equal((await subject.query([1, 0, 0], 10, {}, 'svc-other')).length, 2);
    }
    assert.equal(await subject.vectors.upsert(C, documents.slice(0, 3)), 3);
    await subject.reopen();
    assert.deepEqual(ids(await subject.query([1, 0, 0])), ['d0', 'd1', 'd2']);
  },

  'removes documents permanently, keeps the others, and accepts removed ones again': async (subject) => {
    const documents = Array.from({ length: 600 }, (_, n) => doc(`d${n}`, [1, n / 100, 0], { even: n % 2 === 0 }));
    await subject.vectors.upsert(C, documents);
    await subject.vectors.upsert('svc-other', documents.slice(0, 2));
    assert.equal(await subject.vectors.remove(C, ['d0', 'd2', 'd2', 'nobody', "d'; --"]), 2);
    assert.equal(await subject.vectors.remove(C, ['d0']), 0);
    assert.equal(await subject.vectors.remove('svc-nobody', ['d0']), 0);
    for (const again of [false, true]) {
      if (again) await subject.reopen();
      const found = await subject.query([1, 0, 0], 3);
      assert.deepEqual(ids(found), ['d1', 'd3', 'd4']);
      assert.deepEqual({ ...found[0]?.document }, { id: 'd1', text: 'text of d1', metadata: { even: false } });
      const wanted = 1 / Math.hypot(1, 0.01);
      assert.ok(Math.abs((found[0]?.score ?? 0) - wanted) < 1e-5, `a score of ${wanted}`, found[0]?.score);
      assert.deepEqual(ids(await subject.query([1, 0, 0], 2, { even: true })), ['d4', 'd6']);
      assert.equal((await subject.query([1, 0, 0], 10, {}, 'svc-other')).length, 2);
    }
    assert.equal(await subject.vectors.upsert(C, documents.slice(0, 2)), 1);
    assert.deepEqual(ids(await subject.query([1, 0, 0], 2)), ['d0', 'd1']);
    const all = documents.map(({ document }) => document.id);
    assert.equal(await subject.vectors.remove(C, all), 599);
    assert.deepEqual(await subject.query([1, 0, 0]), []);
    await subject.reopen();
    assert.deepEqual(await subject.query([1, 0, 0]), []);
    assert.equal(await subject.vectors.upsert(C, documents.slice(0, 2)), 2);
  },

  'handles searches, writes and removals at the same time': async (subject) => {
    const { vectors } = subject;
    await vectors.upsert(
      C,
      Array.from({ length: 300 }, (_, n) => doc(`d${n}`, [1, n / 100, 0])),
    );
    const turns = Array.from({ length: 20 }, async (_, n) => {
      const [removed, added, found] = await Promise.all([
        vectors.remove(C, [`d${n}`, `d${n + 1}`]),
        vectors.upsert(C, [doc(`new${n}`, [-1, 0, 0])]),
        subject.query([1, 2, 0], 100),
      ]);
      for (const { document } of found) assert.equal(document.text, `text of ${document.id}`);
      return { removed, added };
    });
    const counts = await Promise.all(turns);
    assert.equal(
      counts.reduce((sum, { removed }) => sum + removed, 0),
      21,
    );
    assert.ok(
      counts.every(({ added }) => added === 1),
      'one document added by each call',
      counts,
    );
    await subject.reopen();
    assert.equal((await subject.query([-1, 0, 0], 20)).filter(({ document }) => document.id.startsWith('new')).length, 20);
    assert.deepEqual(ids(await subject.query([1, 0, 0], 1)), ['d21']);
  },

  'refuses to open vectors of another model or length': async (subject) => {
    await subject.vectors.upsert(C, [doc('a', [1, 0, 0])]);
    await assert.rejects(subject.reopen({ model: 'other-model', dimensions: 3 }), isStoreError);
    await assert.rejects(subject.reopen({ model: 'test-model', dimensions: 4 }), isStoreError);
    await subject.reopen();
    assert.deepEqual(ids(await subject.query([1, 0, 0])), ['a']);
  },

  'can be closed without being opened, and closed twice': async (subject) => {
    await subject.vectors.close?.();
    await subject.vectors.close?.();
    await subject.reopen();
  },
};

function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));
}

/** Checks for every vector store. */
export function vectorsConformance({ open, approximate = false }: VectorsConformanceOptions): ConformanceCase[] {
  const cases = Object.entries(CASES).filter(([name]) => !(approximate && name === EXACT));
  return explained(cases.map(([name, run]) => ({ name, run: () => withSubject(open, run) })));
}

async function withSubject(open: VectorsConformanceOptions['open'], run: Run): Promise<void> {
  const fixture = await open();
  const subject = new Subject(fixture);
  try {
    await subject.open();
    await run(subject);
  } finally {
    await subject.vectors.close?.();
    await fixture.dispose();
  }
}
