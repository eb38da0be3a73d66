import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { DELAY_PATTERN, durationMs } from './duration.ts';
import type { Reader } from './reader.ts';
import { closed, duration } from './schema-parts.ts';

export const ApprovalsSchema = closed(
  {
    expire_after: duration('How long a paused run waits for a decision. Then it is denied.', '30d'),
    max_paused: Type.Integer({
      minimum: 1,
      default: 10_000,
      description: 'Maximum number of paused runs. Further runs that would pause are rejected with 429.',
    }),
    max_paused_per_principal: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'Maximum number of paused runs of one principal.',
    }),
    reuse_for: Type.Unsafe<string | 0>({
      type: ['string', 'integer'],
      pattern: DELAY_PATTERN,
      minimum: 0,
      maximum: 0,
      title: '0, or a whole number with s or m, such as 10m',
      default: '10m',
      description:
        'How long a decision also applies if the same request is sent again. After a denial, the repeated request is denied. After an approval, the same guard lets one repeated request pass without a pause. `0`: decisions never apply to repeated requests.',
    }),
  },
  { default: {}, description: 'Paused runs.' },
);

/** The section `approvals`. */
export interface ApprovalsPart {
  readonly expire_after_ms: number;
  /** Maximum numbers of paused runs. */
  readonly max_paused: { readonly in_all: number; readonly per_principal: number };
  /** How long a decision on a paused run also applies to requests that repeat the run's request. 0: not at all. */
  readonly reuse_for_ms: number;
}

export const readApprovals: Reader<ApprovalsPart> = (section) => {
  if (!Value.Check(ApprovalsSchema, section)) return null;
  const { expire_after, max_paused, max_paused_per_principal, reuse_for } = section;
  return {
    expire_after_ms: durationMs(expire_after),
    max_paused: { in_all: max_paused, per_principal: max_paused_per_principal },
    reuse_for_ms: durationMs(reuse_for),
  };
};
