import { expect, it } from 'vitest';
import { readCondition } from './fail-if.ts';
import { reportOf } from './report.ts';
import { act, replayed } from './test-replayed.ts';
import { Totals } from './totals.ts';

const totals = new Totals();
for (let n = 0; n < 99; n += 1) totals.add(replayed());
totals.add(replayed({ after: { blocked: act('a') }, failed: ['a'] }));
totals.add(replayed({ before: { blocked: act('a') }, after: { paused: [act('b')] } }));
for (let n = 0; n < 19; n += 1) totals.add(replayed({ left_out: 'erased' }));
const period = { from: '2026-11-20T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', route: null };
const report = reportOf(totals, period, { file: '', digest: '', not_asked: new Map() });

it.each([
  ['newly_blocked>0', true],
  ['newly_blocked>1', false],
  ['newly_blocked>=1', true],
  ['newly_blocked>0.9%', true],
  ['newly_blocked>1%', false],
  ['newly_paused>0.99%', true],
  ['newly_masked>0', false],
  ['freed>=0', true],
  ['freed>=0%', true],
  ['freed>=100%', false],
  ['not_replayed>15.8%', true],
  ['not_replayed>15.84%', false],
  ['not_replayed>18', true],
  ['guard_failures>0', true],
  ['approvals_a_day>0.4', true],
  ['approvals_a_day>0.5', false],
])('%s: %s', (text, holds) => {
  expect(readCondition(text).holds(report)).toBe(holds);
});

it('no share of no runs is above a limit', () => {
  const empty = reportOf(new Totals(), period, { file: '', digest: '', not_asked: new Map() });
  expect(readCondition('newly_blocked>0%').holds(empty)).toBe(false);
});

it.each([
  'newly_blocked',
  'newly_blocked>',
  '>1',
  'newly_blocked<1',
  'blocked>1',
  'toString>1',
  'approvals_a_day>1%',
  'newly_blocked>1e9',
  ' freed>1',
  'freed>1 ',
  'freed>NaN',
  'freed>-1',
  'freed>100%',
  'freed>=100.1%',
  'freed>1%%',
  '',
])('refuses %j', (text) => {
  expect(() => readCondition(text)).toThrow(expect.objectContaining({ exit_code: 2 }));
});
