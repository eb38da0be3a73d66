import type { Edit, GuardContext, Segment } from '@svc/sdk';
import { ENTITY_NAME, PLACEHOLDER, Placeholders, placeholderFinder, withoutOverlaps } from '@svc/toolkit/masking';

/** A finding in one segment, in UTF-16 code units. */
export interface FoundIn {
  readonly segment: number;
  readonly entity_type: string;
  readonly start: number;
  readonly end: number;
  readonly score: number;
}

/** Replaces findings with the placeholders of the run, such as `<PERSON_1>`. */
export function masked(segments: readonly Segment[], found: readonly FoundIn[], { state }: GuardContext): Edit[] {
  const placeholders = new Placeholders(state);
  const bySegment = Map.groupBy(found, ({ segment }) => segment);
  return segments.flatMap(({ index, text }) => {
    // Text that looks like a placeholder must not be mistaken for one of this run.
    const all = [...placeholderFinder.find(text, 0), ...(bySegment.get(index) ?? [])];
    return withoutOverlaps(all, text.length).flatMap(({ entity_type, start, end }) => {
      const value = text.slice(start, end);
      const replacement =
        entity_type === PLACEHOLDER ? literal(value, placeholders) : placeholders.issue(nameOf(entity_type), value, value, false);
      return replacement === value ? [] : [{ segment: index, start, end, replacement }];
    });
  });
}

function literal(value: string, placeholders: Placeholders): string {
  return placeholders.earlier(value) === null ? placeholders.issueLiteral(value, false) : value;
}

/** The name in a placeholder. Names of custom recognisers may not have the form that placeholders need. */
function nameOf(entity_type: string): string {
  const name = entity_type
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .slice(0, 63);
  return new RegExp(ENTITY_NAME).test(name) ? name : 'ENTITY';
}
