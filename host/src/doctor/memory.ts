import { bytesInFlightShare, type ProcessMemory } from '../process/memory-share.ts';
import { type Finding, ok, problem, sizeText, warning } from './finding.ts';

export interface RequestLimits {
  readonly workers: number;
  readonly body_limit_bytes: number;
  /** Undefined: a share of the memory. */
  readonly max_bytes_in_flight?: number | undefined;
}

const MEBIBYTE = 1_048_576;
/**
 * Memory of a process under hostile requests: this much, and so much for each byte of `max_bytes_in_flight`. Measured with bounds of 8, 32 and 128 MiB
 * (docs/decisions/0017-bytes-in-flight.md).
 */
const PROCESS_BYTES = 416 * MEBIBYTE;
const HOSTILE = 9;
/** The same with a reserve for structures that nobody has tried. */
const SAFE = 2 * HOSTILE;

/** Compares the bytes that requests may hold with the memory of this machine, or of its container. */
export function checkMemory({ workers, body_limit_bytes, max_bytes_in_flight }: RequestLimits, machine: ProcessMemory): Finding {
  const { memory, heap } = machine;
  const used = max_bytes_in_flight ?? bytesInFlightShare(machine, workers, body_limit_bytes);
  const own = memory / workers - PROCESS_BYTES;
  const room = Math.max(0, Math.floor(Math.min(own, heap) / SAFE / MEBIBYTE) * MEBIBYTE);
  const has = `${sizeText(memory)} of memory${workers > 1 ? ` for ${workers} workers` : ''}`;
  const said = `requests may hold ${sizeText(used)} (server.max_bytes_in_flight), one body ${sizeText(body_limit_bytes)} (server.body_limit_bytes), on ${has}`;
  if (used <= room) return ok('memory', said);
  const lower = `set server.max_bytes_in_flight and server.body_limit_bytes to ${Math.max(room, 1024)} or less, or add memory${workers > 1 ? ', or use fewer workers' : ''}`;
  if (used * HOSTILE > own) {
    const worst = workers * (PROCESS_BYTES + used * HOSTILE);
    return problem('memory', `${said}: malicious requests can use ${sizeText(worst)}`, lower);
  }
  const raise = used * SAFE <= own ? `, or raise --max-old-space-size (now ${sizeText(heap)})` : '';
  return warning('memory', `${said}: there is room for ${sizeText(room)}`, `${lower}${raise}`);
}
