import { describe, expect, it } from 'vitest';
import { reportOf } from './report.ts';
import { act, replayed } from './test-replayed.ts';
import { Totals } from './totals.ts';

const PERIOD = { from: '2026-11-18T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', route: null };
const OF = { file: 'next.yaml', digest: 'sha256:0', not_asked: new Map([['judge', 'calls_service' as const]]) };

const RUNS = [
  replayed({ asked: ['a', 'b'], after: { blocked: act('a', 'why') }, session: 's' }),
  replayed({ asked: ['a'], after: { paused: [act('b')] }, session: 's', day: '2026-11-21' }),
  replayed({ asked: ['a'], before: { paused: [act('b')] }, after: { paused: [act('b')] } }),
  replayed({ asked: ['a'], before: { blocked: act('old') }, failed: ['a'] }),
  replayed({ route: 'other', before: { masked: [act('a')] }, day: '2026-11-19' }),
  replayed({ left_out: 'not_kept' }),
  replayed({ left_out: 'route_missing', route: 'gone' }),
];

function totalsOf(runs: typeof RUNS): Totals {
  const totals = new Totals();
  for (const run of runs) totals.add(run);
  return totals;
}

it('counts changes by guard, route and session, and what is left out', () => {
  const report = reportOf(totalsOf(RUNS), PERIOD, OF);
  expect(report).toMatchObject({
    replayed: 5,
    not_replayed: {
      runs: 2,
      of: 7,
      reasons: [
        { why: 'route_missing', runs: 1, run_ids: [RUNS[6]?.row.run_id] },
        { why: 'not_kept', runs: 1 },
      ],
      missing_routes: [{ route: 'gone', runs: 1 }],
    },
    limits: { masked_before: 1, guards_not_asked: [{ guard: 'judge', why: 'calls_service' }] },
    changes: { newly_blocked: { runs: 1, of: 5 }, newly_paused: { runs: 1 }, newly_masked: { runs: 0 }, freed: { runs: 1 } },
    outcomes: { passed: { blocked: 1, paused: 1 }, paused: { paused: 1 }, blocked: { passed: 1 }, masked: { passed: 1 } },
    by_route: [
      { route: 'default', runs: 4 },
      { route: 'other', runs: 1, newly_blocked: { runs: 0, of: 1 } },
    ],
    by_session: [{ principal: 'alice', session: 's', runs: 2, newly_blocked: { runs: 1, of: 2 } }],
    more_sessions: 0,
    runs: {
      newly_blocked: [{ run_id: RUNS[0]?.row.run_id, route: 'default', session: 's', by: [act('a', 'why')] }],
      newly_masked: [],
    },
  });
  expect(report.by_guard).toMatchObject([
    { guard: 'a', runs: 4, failed: 1, newly_blocked: { runs: 1, of: 4 } },
    { guard: 'b', runs: 1, newly_paused: { runs: 1, of: 1 } },
    { guard: 'old', runs: 0, freed: { runs: 1, of: 1, rate: 1 } },
  ]);
});

it('says how many requests for approval there are a day, and on which day most', () => {
  const { approvals } = reportOf(totalsOf(RUNS), PERIOD, OF);
  expect(approvals).toMatchObject({
    days: 4,
    before_a_day: 0.25,
    after_a_day: 0.5,
    busiest_day: { requests: 1 },
    by_day: [
      { day: '2026-11-19', before: 0, after: 0 },
      { day: '2026-11-20', before: 1, after: 1 },
      { day: '2026-11-21', before: 0, after: 1 },
    ],
  });
  expect(approvals.low).toBeLessThan(0.5);
  expect(approvals.high).toBeGreaterThan(0.5);
});

it('without a start begins with the oldest run, and without runs says nothing', () => {
  const open = { ...PERIOD, from: null };
  expect(reportOf(totalsOf(RUNS.slice(0, 5)), open, OF).approvals.days).toBe(2.5);
  expect(reportOf(totalsOf(RUNS.slice(0, 5)), { ...open, to: '2026-11-19T13:00:00.000Z' }, OF).approvals.days).toBe(1);
  expect(reportOf(new Totals(), open, OF)).toMatchObject({
    replayed: 0,
    changes: { freed: { rate: null, low: null } },
    approvals: { after_a_day: null, busiest_day: null },
  });
});

it('does not count the time before the oldest replayed run, if older ones are left out', () => {
  const waiting = replayed({ day: '2026-11-21', after: { paused: [act('b')] } });
  const expired = replayed({ day: '2026-11-18', left_out: 'not_kept' });
  expect(reportOf(totalsOf([waiting, expired]), PERIOD, OF).approvals).toMatchObject({ days: 1, after_a_day: 1 });
  expect(reportOf(totalsOf([waiting]), PERIOD, OF).approvals).toMatchObject({ days: 4, after_a_day: 0.25 });
  expect(reportOf(totalsOf([expired]), PERIOD, OF).approvals).toMatchObject({ days: 0, after_a_day: null });
});

describe('the size of the sums is bounded', () => {
  it('by the number of sessions, and the others are counted together', () => {
    const totals = new Totals();
    for (let n = 0; n < 10_050; n += 1) totals.add(replayed({ session: `s${n % 10_030}` }));
    expect(totals.sessions.size).toBe(10_000);
    expect(totals.other_sessions.runs).toBe(30);
    expect(totals.sessions.get(JSON.stringify(['alice', 's3']))?.runs).toBe(2);
  });

  it('by the number of listed runs, and all are counted', () => {
    const totals = new Totals();
    for (let n = 0; n < 1_050; n += 1) {
      totals.add(replayed({ after: { blocked: act('a') } }));
      totals.add(replayed({ left_out: 'erased' }));
    }
    expect(totals.changed.newly_blocked).toHaveLength(1_000);
    expect(totals.all.newly_blocked).toBe(1_050);
    expect(totals.left_out.erased).toMatchObject({ runs: 1_050, run_ids: { length: 20 } });
  });
});

it('can be written and continued', () => {
  for (let split = 0; split <= RUNS.length; split += 1) {
    const first = totalsOf(RUNS.slice(0, split));
    const continued = Totals.from(JSON.parse(JSON.stringify(first)));
    for (const run of RUNS.slice(split)) continued.add(run);
    expect(reportOf(continued, PERIOD, OF)).toEqual(reportOf(totalsOf(RUNS), PERIOD, OF));
  }
});
