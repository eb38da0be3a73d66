import { totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { bytesInFlightShare, processMemory } from './memory-share.ts';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

it.each([
  ['a small container has room for one body', { memory: 0.5 * GIB, heap: 0.25 * GIB }, 1, 32],
  ['a larger machine has more', { memory: 8 * GIB, heap: 4 * GIB }, 1, 64],
  ['workers share it', { memory: 16 * GIB, heap: 8 * GIB }, 2, 64],
  ['no machine has more than the heap may have', { memory: 512 * GIB, heap: 4 * GIB }, 1, 64],
  ['whose operator may give it more', { memory: 512 * GIB, heap: 64 * GIB }, 1, 1_024],
])('%s', (_name, memory, workers, mib) => {
  expect(bytesInFlightShare(memory, workers, 32 * MIB)).toBe(mib * MIB);
});

it('the share of this process is not more than the memory of the machine', () => {
  const { memory, heap } = processMemory();
  expect(memory).toBeGreaterThan(0);
  expect(memory).toBeLessThanOrEqual(totalmem());
  expect(heap).toBeGreaterThan(0);
});
