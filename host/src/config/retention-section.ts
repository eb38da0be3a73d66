import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DURATION_PATTERN, optionalMs } from './duration.ts';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';

export const RetentionSchema = closed(
  {
    content: Type.Optional(
      Type.String({
        pattern: DURATION_PATTERN,
        title: 'a whole number with s, m, h or d, such as 30d',
        description:
          'Maximum age of content, from the creation of its run: recorded content, answers, and paused runs, which are then denied. Default: recorded content is stored until it is erased, answers for runs.result_ttl, and paused runs for approvals.expire_after.',
      }),
    ),
  },
  { default: {}, description: 'Deletion by age. The ledger and the metadata of runs are never deleted.' },
);

/** The section `retention`. */
export interface RetentionPart {
  /** Null: content is stored for as long as its kind requires. */
  readonly retention_ms: number | null;
}

export const readRetention: Reader<RetentionPart> = (section) => {
  if (!Value.Check(RetentionSchema, section)) return null;
  return { retention_ms: optionalMs(section.content) };
};
