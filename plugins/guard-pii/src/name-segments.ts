import type { Found } from '@svc/sdk/masking';
import type { Segment } from '@svc/sdk/plugin';
import { NAME_ENTITIES } from './entities.ts';

/** The `name` of who wrote a message. Every other segment of that kind names a tool. */
function isParticipant({ path, role }: Segment): boolean {
  return /^messages\.\d+\.name$/.test(path) && role !== 'tool' && role !== 'function';
}

/** A tool may be called like a person, and only works under its name. */
export function concerns(segment: Segment, { entity_type }: Found): boolean {
  return segment.kind !== 'name' || isParticipant(segment) || !NAME_ENTITIES.includes(entity_type);
}

/** APIs take no brackets in names. */
export function fitting({ kind }: Segment, replacement: string): string {
  return kind === 'name' ? replacement.replace(/^<(.*)>$/, '$1') : replacement;
}
