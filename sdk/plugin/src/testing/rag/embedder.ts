import { isDeepStrictEqual } from 'node:util';
import type { Embedder } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';

/** An embedder under test. */
export interface EmbedderFixture {
  /** Creates a new instance, as after a restart. The suite opens and closes it. The previous one is closed first. */
  make(): Embedder;
  /** The folder to pass to `open`. */
  readonly folder: string | null;
  /** Called once, whatever happened before. */
  dispose(): Promise<void>;
}

export interface EmbedderConformanceOptions {
  /** Called once per case. */
  open(): Promise<EmbedderFixture>;
}

type Run = (embedder: Embedder, again: () => Promise<Embedder>) => Promise<void>;

const NEVER = new AbortController().signal;
const ODD_TEXTS = [' ', '\n', '?!', 'a', 'é', '😀', '\u0000', '日本語の文章', '\u0301', '-'.repeat(1000), 'word '.repeat(20_000)];

async function one(embedder: Embedder, text: string, use: 'document' | 'query' = 'document'): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], use, NEVER);
  assert.present(vector, 'one vector for one text');
  return vector;
}

const CASES: Readonly<Record<string, Run>> = {
  'declares its model and dimensions': async ({ model, dimensions }) => {
    assert.matches(model, /^[\x21-\x7e]{1,200}$/, 'a model name of 1 to 200 visible ASCII characters');
    assert.ok(Number.isSafeInteger(dimensions) && dimensions > 0, 'dimensions as a whole number above 0', dimensions);
  },

  'returns a non-zero vector of that length for any text': async (embedder) => {
    for (const use of ['document', 'query'] as const) {
      const vectors = await embedder.embed(ODD_TEXTS, use, NEVER);
      assert.equal(vectors.length, ODD_TEXTS.length);
      for (const vector of vectors) {
        assert.ok(vector instanceof Float32Array, 'a Float32Array', vector);
        assert.equal(vector.length, embedder.dimensions, 'the length of a vector');
        const square = vector.reduce((sum, value) => sum + value * value, 0);
        assert.ok(Number.isFinite(square) && square > 0, 'a vector that is not zero', square);
      }
    }
  },

  'returns no vectors for no texts': async (embedder) => {
    assert.deepEqual(await embedder.embed([], 'document', NEVER), []);
  },

  'returns the same vector for the same text: alone, among many, and after a restart': async (embedder, again) => {
    const texts = Array.from({ length: 700 }, (_, n) => `This is the document of number ${n}, with some words of its own.`);
    const alone = await one(embedder, texts[300] ?? '');
    const vectors = await embedder.embed(texts, 'document', NEVER);
    assert.equal(vectors.length, texts.length);
    assert.deepEqual(vectors[300], alone);
    assert.ok(!isDeepStrictEqual(vectors[299], alone), 'a different vector for a different text', 'the same');
    assert.deepEqual(await one(await again(), texts[300] ?? ''), alone);
  },

  'has the same model and dimensions after a restart': async ({ model, dimensions }, again) => {
    const { model: later, dimensions: as_long } = await again();
    assert.deepEqual([later, as_long], [model, dimensions]);
  },

  'rejects a call whose signal is aborted': async (embedder) => {
    const off = new AbortController();
    off.abort();
    await assert.rejects(embedder.embed(['text'], 'query', off.signal));
  },

  'can be closed twice': async (embedder) => {
    await embedder.close?.();
    await embedder.close?.();
  },
};

/** Checks for every embedder. */
export function embedderConformance({ open }: EmbedderConformanceOptions): ConformanceCase[] {
  return explained(
    Object.entries(CASES).map(([name, run]) => ({
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
    })),
  );
}
