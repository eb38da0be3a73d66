import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MEBIBYTE = 1_048_576;
/** Memory that a hostile request takes for each of its bytes, with room for as many bytes of answers and for the rest of the process. */
const MEMORY_PER_BYTE = 128;
/** The same of the heap alone, which is a part of it. */
const HEAP_PER_BYTE = 64;

export interface ProcessMemory {
  /** Bytes that the machine or container has. */
  readonly memory: number;
  /** Bytes that this process's heap may have. */
  readonly heap: number;
}

/** Of this machine; of its container where that has less. */
export function processMemory(): ProcessMemory {
  // Without a limit it is a number beyond any machine, or 0.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { memory, heap: getHeapStatistics().heap_size_limit };
}

/**
 * Bytes of requests that a process has room for: whole mebibytes, never less than one body.
 * @param workers processes that share the memory
 */
export function bytesInFlightShare({ memory, heap }: ProcessMemory, workers: number, body_limit_bytes: number): number {
  const share = Math.min(memory / workers / MEMORY_PER_BYTE, heap / HEAP_PER_BYTE);
  return Math.max(Math.floor(share / MEBIBYTE) * MEBIBYTE, body_limit_bytes);
}
