import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MEBIBYTE = 1_048_576;
/** Memory per byte of a hostile request, including room for as many bytes of answers and for the rest of the process. */
const MEMORY_PER_BYTE = 128;
/** The part of that memory that is in the heap. */
const HEAP_PER_BYTE = 64;

export interface ProcessMemory {
  /** Memory of the machine or container, in bytes. */
  readonly memory: number;
  /** Maximum heap of this process, in bytes. */
  readonly heap: number;
}

/** The memory of this machine, or of its container if that has less. */
export function processMemory(): ProcessMemory {
  // Without a limit, this is 0 or a number larger than any machine's memory.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { memory, heap: getHeapStatistics().heap_size_limit };
}

/**
 * How many bytes of requests a process has room for: whole mebibytes, and never less than one body.
 * @param workers number of processes that share the memory
 */
export function bytesInFlightShare({ memory, heap }: ProcessMemory, workers: number, body_limit_bytes: number): number {
  const share = Math.min(memory / workers / MEMORY_PER_BYTE, heap / HEAP_PER_BYTE);
  return Math.max(Math.floor(share / MEBIBYTE) * MEBIBYTE, body_limit_bytes);
}
