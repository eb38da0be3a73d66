import { type Found, type Reading, readings } from '@svc/toolkit/masking';
import { isParticipant } from '@svc/toolkit/segments';
import type { SeenSegment } from '@svc/toolkit/work';
import { NAME_ENTITIES } from './entities.ts';

/** Turns `phoneNumber` and `social_security` into separate words. */
function spelledOut(key: string): string {
  return key.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').replace(/[_-]+/g, ' ');
}

/** Reads values after their keys. Spaces are added to names of participants, which APIs restrict to one word. */
export function readingsOf(segments: readonly SeenSegment[]): Reading[] {
  const read = readings(segments, spelledOut);
  return segments.map((segment, order) => {
    const reading = read[order] ?? { text: segment.text, before: 0 };
    return isParticipant(segment) ? { ...reading, text: reading.text.replace(/[_-]/g, ' ') } : reading;
  });
}

/** A tool's name may look like a person's, but masking the name would break the tool. */
export function concerns(segment: SeenSegment, { entity_type }: Found): boolean {
  return segment.kind !== 'name' || isParticipant(segment) || !NAME_ENTITIES.includes(entity_type);
}
