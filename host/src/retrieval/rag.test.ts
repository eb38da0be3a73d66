import { type Embedder, ProviderError, type Vectors } from '@svc/contracts';
import { noopObserver } from '@svc/kernel';
import { expect, it } from 'vitest';
import { handClock } from '../../../kernel/engine/src/core/test-parts.ts';
import { NO_WORKERS } from '../../../kernel/engine/src/workers/guard-workers.ts';
import { Rag } from './rag.ts';

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };
const SIGNAL = new AbortController().signal;

/** Answers each text with this, and stores as if by magic. */
function ragOf(answer: unknown): { rag: Rag; stored: unknown[]; vectors: Vectors } {
  const stored: unknown[] = [];
  const vectors: Vectors = {
    open: async () => undefined,
    upsert: async (_, documents) => stored.push(...documents),
    remove: async () => 0,
    query: async () => [],
  };
  const embedder = { model: 'm', dimensions: 2, embed: async () => answer as readonly Float32Array[] };
  const clock = { now: () => 0, monotonic: () => 0 };
  return {
    rag: new Rag({
      embedder,
      vectors,
      index_pipeline: () => [],
      clock,
      workers: NO_WORKERS,
      logger: LOGGER,
      observer: noopObserver,
    }),
    stored,
    vectors,
  };
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
])('what an embedder answers that is not the vector of the text is refused: %s', async (_what, answer) => {
  const { rag, stored } = ragOf(answer);
  await expect(rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL)).rejects.toMatchObject({ code: 'SVC-PROV-001' });
  await expect(rag.retrieve('n', 'x', { k: 1, filter: {}, signal: SIGNAL })).rejects.toMatchObject({ code: 'SVC-PROV-001' });
  expect(stored).toEqual([]);
});

it('any other is taken', async () => {
  const { rag, stored } = ragOf([Float32Array.of(3e-3, -40)]);
  await rag.index('n', [{ text: 'x', metadata: {} }], 'alice', SIGNAL);
  expect(stored).toHaveLength(1);
});

it('tells how long an embedder took that failed', async () => {
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
    index_pipeline: () => [],
    clock,
    workers: NO_WORKERS,
    logger: LOGGER,
    observer,
  });
  await expect(rag.retrieve('n', 'x', { k: 1, filter: {}, signal: SIGNAL })).rejects.toMatchObject({ code: 'SVC-PROV-002' });
  expect(took).toEqual([['failed', 700]]);
});
