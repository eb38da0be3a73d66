const FIRST_ROWS = 64;
/** How many numbers a block has: 4 MiB. */
const BLOCK = 1 << 20;

/** Vectors of length 1, in consecutive blocks. A full block is never moved. */
export class Rows {
  readonly dimensions: number;
  readonly per_block: number;
  readonly blocks: Float32Array[] = [];
  size = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.per_block = Math.max(1, Math.floor(BLOCK / dimensions));
  }

  /** Replaces a row, or adds the next one. */
  put(row: number, vector: Float32Array): void {
    const index = Math.floor(row / this.per_block);
    const offset = (row % this.per_block) * this.dimensions;
    const block = this.#roomy(index, offset + this.dimensions);
    const length = lengthOf(vector);
    for (let d = 0; d < this.dimensions; d += 1) block[offset + d] = (vector[d] ?? 0) / length;
    this.size = Math.max(this.size, row + 1);
  }

  at(row: number): Float32Array {
    const offset = (row % this.per_block) * this.dimensions;
    return (this.blocks[Math.floor(row / this.per_block)] ?? new Float32Array()).slice(offset, offset + this.dimensions);
  }

  /** The block with enough room. The last block doubles in size until it is full. */
  #roomy(index: number, numbers: number): Float32Array {
    const block = this.blocks[index];
    if (block !== undefined && block.length >= numbers) return block;
    const most = this.per_block * this.dimensions;
    const wanted = Math.min(most, Math.max(numbers, (block?.length ?? 0) * 2, FIRST_ROWS * this.dimensions));
    const grown = new Float32Array(wanted);
    if (block !== undefined) grown.set(block);
    this.blocks[index] = grown;
    return grown;
  }
}

export function lengthOf(vector: Float32Array): number {
  let square = 0;
  for (const value of vector) square += value * value;
  return Math.sqrt(square);
}
