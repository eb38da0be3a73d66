import { expect, it } from 'vitest';
import { FactCollector, type PackFacts } from './facts.ts';
import { requirementsOf } from './requirements.ts';

const PERIOD = { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' };
const NOTHING: PackFacts = {
  ...PERIOD,
  ledger: {
    origin: 'example.org/gateway',
    first: 1,
    last: 3,
    size: 3,
    closed: false,
    signed_by: ['example.org/gateway+00000000'],
  },
  cosigned: { state: 'none' },
  timestamped: { state: 'none' },
  runs: new FactCollector(PERIOD).runs,
  operations: { ...new FactCollector(PERIOD).operations, closed: false },
  routes: { all: 0, with_owner: 0, with_review: 0 },
  sessions: 0,
};
const stateOf = (id: string, facts: Partial<PackFacts>) =>
  requirementsOf({ ...NOTHING, ...facts }).find((row) => row.id === id)?.state;
const runs = (some: Partial<PackFacts['runs']>) => ({ runs: { ...NOTHING.runs, ended: 2, ...some } });
const FIRST = runs({ first_at: PERIOD.from, first_seq: 2 });
const stamp = (time: string, size = 3) => ({ timestamped: { state: 'checked', size, time, authority: 'CN=tsa' } }) as const;

it('lists the requirements by their ids', () => {
  const range = (chapter: string, last: number) => Array.from({ length: last }, (_, at) => `${chapter}.${at + 1}`);
  const ids = requirementsOf(NOTHING).map(({ id }) => id);
  const expected = [
    ...range('9.2', 10),
    ...range('9.4', 4),
    ...range('9.6', 2),
    ...['10.4.8', '12.1.1', '12.2.5', '12.4.3'],
    ...['Article 12', 'Article 14', 'Article 19', 'Article 26'],
    ...['Witnesses', 'Time', 'Completeness', 'Signature'],
  ];
  expect(ids.toSorted()).toEqual(expected.toSorted());
});

it('shows nothing but the signature of an empty period', () => {
  const shown = requirementsOf(NOTHING).filter(({ state }) => state !== 'not_shown');
  expect(shown.map(({ id, state }) => [id, state])).toEqual([
    ['Completeness', 'partly'],
    ['Signature', 'shown'],
  ]);
});

it.each<[string, Partial<PackFacts>, string]>([
  ['9.2.1', runs({ paused: 1 }), 'partly'],
  ['9.2.8', runs({ decisions: 2 }), 'not_shown'],
  ['9.2.8', runs({ decisions: 2, signed: 1 }), 'partly'],
  ['9.2.8', runs({ decisions: 2, signed: 2 }), 'shown'],
  ['9.6.1', { operations: { ...NOTHING.operations, state_changes: 1 } }, 'not_shown'],
  ['9.6.1', { operations: { ...NOTHING.operations, state_changes: 1, stops: 1 } }, 'shown'],
  ['12.4.3', { operations: { ...NOTHING.operations, state_changes: 1 } }, 'shown'],
  ['9.6.2', runs({ paused: 2 }), 'not_shown'],
  ['9.6.2', runs({ expired: 2, expired_denied: 1 }), 'partly'],
  ['9.6.2', runs({ expired: 2, expired_denied: 2 }), 'shown'],
  ['12.1.1', runs({ of_session: 1 }), 'partly'],
  ['12.1.1', runs({ of_session: 2 }), 'shown'],
  ['Article 12', runs({}), 'partly'],
  ['Article 12', { ...runs({}), ledger: { ...NOTHING.ledger, closed: true } }, 'partly'],
  ['Completeness', { ledger: { ...NOTHING.ledger, closed: true } }, 'partly'],
  ['Completeness', { ledger: { ...NOTHING.ledger, closed: true }, operations: { ...NOTHING.operations, closed: true } }, 'shown'],
  ['Article 19', FIRST, 'not_shown'],
  ['Article 19', { ...FIRST, ...stamp('2026-05-01T00:00:00.000Z') }, 'partly'],
  ['Article 19', { ...FIRST, ...stamp('2026-08-01T00:00:00.000Z') }, 'partly'],
  // A stamp of an earlier state of the ledger says nothing about the record.
  ['Article 19', { ...FIRST, ...stamp('2026-08-01T00:00:00.000Z', 1) }, 'not_shown'],
  ['Time', { timestamped: { state: 'unchecked' } }, 'partly'],
  ['Time', stamp(PERIOD.to, 2), 'partly'],
  ['Time', stamp(PERIOD.to), 'shown'],
  ['Witnesses', { cosigned: { state: 'unchecked' } }, 'partly'],
  ['Witnesses', { cosigned: { state: 'checked', size: 3, by: [{ name: 'w', time: PERIOD.to }] } }, 'shown'],
])('%s with %j is %s', (id, facts, state) => {
  expect(stateOf(id, facts)).toBe(state);
});

it('says how to get what is missing, and names no file that the gateway has not', () => {
  for (const { file, id } of requirementsOf(NOTHING)) expect(file === null, id).toBe(['Witnesses', 'Time'].includes(id));
  for (const { why, command } of requirementsOf(NOTHING)) expect([why.length > 10, command.length > 10]).toEqual([true, true]);
});
