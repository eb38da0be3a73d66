import { bytesInFlightShare, type ProcessMemory } from '../process/memory-share.ts';
import { type Finding, ok, problem, sizeText, warning } from './finding.ts';

export interface RequestLimits {
  readonly workers: number;
  readonly body_limit_bytes: number;
  /** Undefined: a share of the memory. */
  readonly max_bytes_in_flight?: number | undefined;
}

/** Memory that hostile requests take for each of their bytes (docs/decisions/0017-bytes-in-flight.md). */
const HOSTILE = 60;

/** Compares the bytes that requests may hold with the memory of this machine, or of its container. */
export function checkMemory({ workers, body_limit_bytes, max_bytes_in_flight }: RequestLimits, machine: ProcessMemory): Finding {
  const room = bytesInFlightShare(machine, workers, 0);
  const used = max_bytes_in_flight ?? Math.max(room, body_limit_bytes);
  const has = `${sizeText(machine.memory)} of memory${workers > 1 ? ` for ${workers} workers` : ''}`;
  const said = `requests may hold ${sizeText(used)} (server.max_bytes_in_flight), one body ${sizeText(body_limit_bytes)} (server.body_limit_bytes), on ${has}`;
  if (used <= room) return ok('memory', said);
  const lower = `set server.max_bytes_in_flight and server.body_limit_bytes to ${Math.max(room, 1024)} or less, or add memory${workers > 1 ? ', or use fewer workers' : ''}`;
  const heap =
    machine.memory / workers >= used * 2 * HOSTILE ? `, and raise --max-old-space-size (now ${sizeText(machine.heap)})` : '';
  const worst = used * HOSTILE * workers;
  if (worst > machine.memory) return problem('memory', `${said}: hostile requests can take ${sizeText(worst)}`, lower);
  return warning('memory', `${said}: there is room for ${sizeText(room)}`, `${lower}${heap}`);
}
