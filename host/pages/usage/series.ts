import type { UsageGroup } from '../shared/api-types.ts';
import type { Measure, Sums } from './measures.ts';

/** Number of groups with a colour of their own. The others share one series. */
const COLOURS = 6;

/** One group, or all the smaller groups together. */
export interface Series {
  readonly name: string;
  readonly groups: readonly UsageGroup[];
}

/** Sessions and users are named with their principal. @param none the name of runs that have none */
export function groupName({ name, principal_id }: UsageGroup, none: string): string {
  return principal_id === undefined ? (name ?? none) : `${principal_id}: ${name}`;
}

/** @param none the name of runs that have none */
export function seriesOf(groups: readonly UsageGroup[], none: string): readonly Series[] {
  const ordered = groups.toSorted((a, b) => b.usd - a.usd || b.requests - a.requests);
  const own = ordered.length > COLOURS ? COLOURS - 1 : COLOURS;
  const rest = ordered.slice(own);
  const first = ordered.slice(0, own).map((group) => ({ name: groupName(group, none), groups: [group] }));
  return rest.length === 0 ? first : [...first, { name: `${rest.length} others`, groups: rest }];
}

/** The values of a series by interval; null where there is none. Latencies of several groups cannot be added: the highest is shown. */
export function valuesOf({ groups }: Series, intervals: readonly string[], { kind, read }: Measure): readonly (number | null)[] {
  const known = groups.map((group) => new Map((group.intervals ?? []).map((sums) => [Date.parse(sums.since), sums])));
  return intervals.map((since) => {
    const values = known.flatMap((of) => {
      const sums: Sums | undefined = of.get(Date.parse(since));
      const value = sums === undefined ? null : read(sums);
      return value === null ? [] : [value];
    });
    if (values.length === 0) return kind === 'bars' ? 0 : null;
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
}
