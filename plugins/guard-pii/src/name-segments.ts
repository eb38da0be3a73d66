import type { Segment } from '@svc/sdk';
import { type Found, type Reading, readings } from '@svc/toolkit/masking';
import { isParticipant } from '@svc/toolkit/segments';
import type { SeenSegment } from '@svc/toolkit/work';
import { NAME_ENTITIES } from './entities.ts';

/** `phoneNumber` and `social_security` say what they say in words. */
function spelledOut(key: string): string {
  return key.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').replace(/[_-]+/g, ' ');
}

/** Values after their keys; names of participants, in which APIs take no spaces, with spaces. */
export function readingsOf(segments: readonly SeenSegment[]): Reading[] {
  const read = readings(segments, spelledOut);
  return segments.map((segment, order) => {
    const reading = read[order] ?? { text: segment.text, before: 0 };
    return isParticipant(segment) ? { ...reading, text: reading.text.replace(/[_-]/g, ' ') } : reading;
  });
}

/** A tool may be called like a person, and only works under its name. */
export function concerns(segment: SeenSegment, { entity_type }: Found): boolean {
  return segment.kind !== 'name' || isParticipant(segment) || !NAME_ENTITIES.includes(entity_type);
}

/** APIs take no brackets in names. */
export function fitting({ kind }: Segment, replacement: string): string {
  return kind === 'name' ? replacement.replace(/^<(.*)>$/, '$1') : replacement;
}
