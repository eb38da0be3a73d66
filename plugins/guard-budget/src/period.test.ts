import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CalendarPeriod } from './options.ts';
import { Calendar } from './period.ts';

const PERIODS: readonly CalendarPeriod[] = ['minute', 'hour', 'day', 'week', 'month'];
const moments = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.getTime());

const spanAt = (period: CalendarPeriod, moment: number, zone?: string) => {
  const { name, end } = new Calendar(zone).spanAt(period, moment);
  return { name, end };
};

describe('a calendar of UTC', () => {
  it.each([
    ['minute', '2026-11-21T21:13:59.999Z', '2026-11-21T21:13', '2026-11-21T21:14:00.000Z'],
    ['hour', '2026-11-21T23:00:00.000Z', '2026-11-21T23', '2026-11-22T00:00:00.000Z'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-29T00:00:00.000Z'],
    ['week', '2026-11-23T00:00:00.000Z', '2026-W48', '2026-11-30T00:00:00.000Z'],
    ['week', '2026-11-29T23:59:59.999Z', '2026-W48', '2026-11-30T00:00:00.000Z'],
    // A week belongs to the year of its Thursday.
    ['week', '2027-01-03T12:00:00.000Z', '2026-W53', '2027-01-04T00:00:00.000Z'],
    ['week', '2024-12-30T12:00:00.000Z', '2025-W01', '2025-01-06T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['month', '2027-02-01T00:00:00.000Z', '2027-02', '2027-03-01T00:00:00.000Z'],
  ] as const)('a %s at %s', (period, at, name, end) => {
    const span = spanAt(period, Date.parse(at));
    expect({ name: span.name, end: new Date(span.end).toISOString() }).toEqual({ name, end });
  });

  it.each(PERIODS)('a %s contains its moment, and the next one begins where it ends', (period) => {
    fc.assert(
      fc.property(moments, (moment) => {
        const { name, end } = spanAt(period, moment);
        expect(end).toBeGreaterThan(moment);
        expect(spanAt(period, end - 1)).toEqual({ name, end });
        expect(spanAt(period, end).name > name).toBe(true);
      }),
    );
  });
});

describe('a calendar of a time zone', () => {
  it.each([
    // Clocks go forward in the night before 29 March, and back in the night before 25 October.
    ['Europe/Berlin', 'day', '2026-03-28T23:00:00.000Z', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', 'day', '2026-10-25T22:59:59.999Z', '2026-10-25', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', 'week', '2026-03-29T21:59:59.999Z', '2026-W13', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', 'week', '2026-10-19T00:00:00.000Z', '2026-W43', '2026-10-25T23:00:00.000Z'],
    ['Europe/Berlin', 'month', '2026-10-31T23:00:00.000Z', '2026-11', '2026-11-30T23:00:00.000Z'],
    ['Europe/Berlin', 'month', '2026-12-31T23:30:00.000Z', '2027-01', '2027-01-31T23:00:00.000Z'],
    ['America/New_York', 'day', '2026-03-08T05:00:00.000Z', '2026-03-08', '2026-03-09T04:00:00.000Z'],
    ['America/New_York', 'day', '2026-11-01T04:00:00.000Z', '2026-11-01', '2026-11-02T05:00:00.000Z'],
    // The clocks skip midnight, so this day begins at one.
    ['Africa/Cairo', 'day', '2026-04-23T12:00:00.000Z', '2026-04-23', '2026-04-23T22:00:00.000Z'],
    ['Africa/Cairo', 'day', '2026-04-23T22:00:00.000Z', '2026-04-24', '2026-04-24T21:00:00.000Z'],
    // The 30th was skipped entirely.
    ['Pacific/Apia', 'day', '2011-12-30T09:59:59.999Z', '2011-12-29', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', 'day', '2011-12-30T10:00:00.000Z', '2011-12-31', '2011-12-31T10:00:00.000Z'],
    ['Pacific/Kiritimati', 'day', '2026-01-01T10:00:00.000Z', '2026-01-02', '2026-01-02T10:00:00.000Z'],
    ['Etc/GMT+12', 'day', '2026-01-01T11:59:59.999Z', '2025-12-31', '2026-01-01T12:00:00.000Z'],
    ['Asia/Kathmandu', 'hour', '2026-01-01T11:20:00.000Z', '2026-01-01T11', '2026-01-01T12:00:00.000Z'],
  ] as const)('%s: a %s at %s', (zone, period, at, name, end) => {
    const span = spanAt(period, Date.parse(at), zone);
    expect({ name: span.name, end: new Date(span.end).toISOString() }).toEqual({ name, end });
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'Pacific/Apia', 'America/Havana'])(
    '%s: each period contains its time, and the next begins where it ends',
    (zone) => {
      const since1970 = fc.date({ min: new Date('1972-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
      fc.assert(
        fc.property(fc.constantFrom(...PERIODS), since1970, (period, date) => {
          const { name, end } = spanAt(period, date.getTime(), zone);
          expect(end).toBeGreaterThan(date.getTime());
          expect(spanAt(period, end - 1, zone)).toEqual({ name, end });
          expect(spanAt(period, end, zone).name > name).toBe(true);
        }),
      );
    },
  );

  it('gives the same result for times in any order', () => {
    const calendar = new Calendar('Europe/Berlin');
    const at = (time: string) => calendar.spanAt('day', Date.parse(time)).name;
    expect(['2026-03-29T12:00Z', '2026-03-28T12:00Z', '2026-03-29T01:00Z', '2026-03-29T22:00Z'].map(at)).toEqual([
      '2026-03-29',
      '2026-03-28',
      '2026-03-29',
      '2026-03-30',
    ]);
  });

  it.each(['Berlin', 'Europe/Nowhere', ''])('%j is not a time zone', (zone) => {
    expect(() => new Calendar(zone)).toThrow(/^time_zone: must be a name/);
  });
});
