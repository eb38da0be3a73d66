import assert from 'node:assert/strict';
import type { Embedder } from '@svc/contracts';
import type { ConformanceCase } from '../cases/conformance-case.ts';

/** An embedder under test. */
export interface EmbedderFixture {
  /** A new instance, as after a restart. The suite opens and closes it; the one before is closed by then. */
  make(): Embedder;
  /** Given to `open`. */
  readonly folder: string | null;
  /** Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface EmbedderConformanceOptions {
  /** Called once a case. */
  open(): Promise<EmbedderFixture>;
}

type Run = (embedder: Embedder, again: () => Promise<Embedder>) => Promise<void>;

const NEVER = new AbortController().signal;
const ODD_TEXTS = [' ', '\n', '?!', 'a', 'é', '😀', '\u0000', '日本語の文章', '\u0301', '-'.repeat(1000), 'word '.repeat(20_000)];

async function one(embedder: Embedder, text: string, use: 'document' | 'query' = 'document'): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], use, NEVER);
  assert.ok(vector !== undefined, 'one text gives one vector');
  return vector;
}

const CASES: Readonly<Record<string, Run>> = {
  'it says what makes its vectors and how long they are': async ({ model, dimensions }) => {
    assert.match(model, /^[\x21-\x7e]{1,200}$/, 'the model is named by 1 to 200 visible ASCII characters');
    assert.ok(Number.isSafeInteger(dimensions) && dimensions > 0);
  },

  'any text has a vector of that length, and none is zero': async (embedder) => {
    for (const use of ['document', 'query'] as const) {
      const vectors = await embedder.embed(ODD_TEXTS, use, NEVER);
      assert.equal(vectors.length, ODD_TEXTS.length);
      for (const vector of vectors) {
        assert.ok(vector instanceof Float32Array && vector.length === embedder.dimensions);
        const square = vector.reduce((sum, value) => sum + value * value, 0);
        assert.ok(Number.isFinite(square) && square > 0, 'a vector has a length');
      }
    }
  },

  'no texts have no vectors': async (embedder) => {
    assert.deepEqual(await embedder.embed([], 'document', NEVER), []);
  },

  'the same text is the same vector, alone, among many, and after a restart': async (embedder, again) => {
    const texts = Array.from({ length: 700 }, (_, n) => `This is the document of number ${n}, with some words of its own.`);
    const alone = await one(embedder, texts[300] ?? '');
    const vectors = await embedder.embed(texts, 'document', NEVER);
    assert.equal(vectors.length, texts.length);
    assert.deepEqual(vectors[300], alone);
    assert.notDeepEqual(vectors[299], alone);
    assert.deepEqual(await one(await again(), texts[300] ?? ''), alone);
  },

  'its model and dimensions are the same after a restart': async ({ model, dimensions }, again) => {
    const { model: later, dimensions: as_long } = await again();
    assert.deepEqual([later, as_long], [model, dimensions]);
  },

  'what was called off rejects': async (embedder) => {
    const off = new AbortController();
    off.abort();
    await assert.rejects(embedder.embed(['text'], 'query', off.signal));
  },

  'one may be closed twice': async (embedder) => {
    await embedder.close?.();
    await embedder.close?.();
  },
};

/** What the contract asks of every embedder. */
export function embedderConformance({ open }: EmbedderConformanceOptions): ConformanceCase[] {
  return Object.entries(CASES).map(([name, run]) => ({
    name,
    run: async () => {
      const fixture = await open();
      let embedder = fixture.make();
      const again = async (): Promise<Embedder> => {
        await embedder.close?.();
        embedder = fixture.make();
        await embedder.open?.({ folder: fixture.folder });
        return embedder;
      };
      try {
        await embedder.open?.({ folder: fixture.folder });
        await run(embedder, again);
      } finally {
        await embedder.close?.();
        await fixture.dispose();
      }
    },
  }));
}
