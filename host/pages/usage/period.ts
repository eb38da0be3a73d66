const HOUR_MS = 3_600_000;
const LENGTHS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;

export interface Period {
  readonly label: string;
  readonly interval: keyof typeof LENGTHS;
  readonly count: number;
}

export const PERIODS = {
  '24h': { label: 'Last 24 hours', interval: 'hour', count: 24 },
  '7d': { label: 'Last 7 days', interval: 'day', count: 7 },
  '30d': { label: 'Last 30 days', interval: 'day', count: 30 },
  '90d': { label: 'Last 90 days', interval: 'day', count: 90 },
} as const satisfies Record<string, Period>;
export type PeriodName = keyof typeof PERIODS;

/** The beginnings of the hours or days of a period in UTC, oldest first; the last one is in progress. */
export function intervalsOf({ interval, count }: Period, now: number): readonly string[] {
  const length = LENGTHS[interval];
  const last = Math.floor(now / length);
  return Array.from({ length: count }, (_, n) => new Date((last - count + 1 + n) * length).toISOString());
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The beginning of an hour or day, in UTC. */
export function intervalText(iso: string, interval: Period['interval']): string {
  return (interval === 'hour' ? HOUR : DAY).format(Date.parse(iso));
}
