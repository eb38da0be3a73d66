import { setImmediate } from 'node:timers/promises';
import { lengthOf, type Rows } from './rows.ts';

/** Number of multiplications per turn of the event loop, which take about half a millisecond. */
const PRODUCTS_A_TURN = 1 << 19;

export interface Near {
  readonly row: number;
  readonly score: number;
}

/** The rows with the highest cosine similarity, best first. Among equal rows, older ones win. Yields to the event loop between blocks. */
export async function nearestRows(
  rows: Rows,
  query: Float32Array,
  k: number,
  isWanted: ((row: number) => boolean) | null,
  signal: AbortSignal,
): Promise<readonly Near[]> {
  const { dimensions, per_block, size } = rows;
  const length = lengthOf(query);
  const unit = query.map((value) => value / length);
  const best = new Best(k);
  const rows_a_turn = Math.max(1, Math.floor(PRODUCTS_A_TURN / dimensions));
  for (let from = 0; from < size; ) {
    // Read again in each turn, because the last block may have grown.
    const index = Math.floor(from / per_block);
    const block = rows.blocks[index] ?? new Float32Array();
    const to = Math.min(size, from + rows_a_turn, (index + 1) * per_block);
    for (let row = from; row < to; row += 1) {
      if (isWanted !== null && !isWanted(row)) continue;
      best.offer(row, product(block, (row - index * per_block) * dimensions, unit));
    }
    from = to;
    if (from < size) {
      await setImmediate();
      signal.throwIfAborted();
    }
  }
  return best.rows;
}

function product(block: Float32Array, offset: number, unit: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = unit.length & ~3;
  let i = 0;
  // Four sums, which the processor can compute in parallel.
  for (; i < whole; i += 4) {
    a += (block[offset + i] as number) * (unit[i] as number);
    b += (block[offset + i + 1] as number) * (unit[i + 1] as number);
    c += (block[offset + i + 2] as number) * (unit[i + 2] as number);
    d += (block[offset + i + 3] as number) * (unit[i + 3] as number);
  }
  for (; i < unit.length; i += 1) a += (block[offset + i] as number) * (unit[i] as number);
  return a + b + c + d;
}

/** The best k rows so far, best first. */
class Best {
  readonly #k: number;
  readonly #rows: Near[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  offer(row: number, product: number): void {
    const worst = this.#rows.at(-1);
    if (worst !== undefined && this.#rows.length === this.#k && product <= worst.score) return;
    const at = this.#rows.findIndex(({ score }) => score < product);
    this.#rows.splice(at < 0 ? this.#rows.length : at, 0, { row, score: product });
    if (this.#rows.length > this.#k) this.#rows.pop();
  }

  /** Clamped, because rounding may exceed the range of a cosine. */
  get rows(): readonly Near[] {
    return this.#rows.map(({ row, score }) => ({ row, score: Math.max(-1, Math.min(1, score)) }));
  }
}
