import type { JsonObject } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finderConformance } from '../testing/index.ts';
import { PLACEHOLDER, Placeholders, placeholderFinder } from './placeholders.ts';

describe('placeholders', () => {
  test('are numbered by first appearance, one for each value', () => {
    const run = new Placeholders({});
    expect(run.issue('PERSON', 'ann', 'Ann', true)).toBe('<PERSON_1>');
    expect(run.issue('PERSON', 'bob', 'Bob', true)).toBe('<PERSON_2>');
    expect(run.issue('PERSON', 'ann', 'ANN', true)).toBe('<PERSON_1>');
    expect(run.issue('PHONE_NUMBER', 'ann', 'ann', true)).toBe('<PHONE_NUMBER_1>');
  });

  test('continue with the stored ones', () => {
    const state: JsonObject = {};
    new Placeholders(state).issue('PERSON', 'ann', 'Ann', false);
    const stored: JsonObject = JSON.parse(JSON.stringify(state));
    expect(stored).toEqual(state);
    const later = new Placeholders(stored);
    expect(later.earlier('<PERSON_1>')).toMatchObject({ value: 'Ann', own: false });
    expect(later.earlier('<PERSON_2>')).toBeNull();
    expect(later.issue('PERSON', 'ann', 'Ann', false)).toBe('<PERSON_1>');
    expect(later.issue('PERSON', 'bob', 'Bob', false)).toBe('<PERSON_2>');
    expect(later.earlier('<PERSON_2>')).toBeNull();
  });

  test('are indexed again for the answer only if they have changed meanwhile', () => {
    const state: JsonObject = {};
    new Placeholders(state).issue('PERSON', 'ann', 'Ann', true);
    const stored = JSON.parse(JSON.stringify(state)).placeholders;
    let read = 0;
    Object.defineProperty(stored.PERSON.keys, 0, {
      get() {
        read += 1;
        return 'ann';
      },
    });
    const later = { placeholders: stored };
    expect(new Placeholders(later).known('PERSON', 'ann')).not.toBeNull();
    const once = read;
    expect(new Placeholders(later).known('PERSON', 'ann')?.own).toBe(true);
    expect(read).toBe(once);
    const { values, keys, numbers, own } = stored.PERSON;
    for (const [column, cell] of [[values, 'Bob'] as const, [keys, 'bob'] as const, [numbers, 2] as const, [own, true] as const])
      column.push(cell);
    expect(new Placeholders(later).earlier('<PERSON_2>')?.value).toBe('Bob');
  });

  test('continue in a run that an earlier release stored', () => {
    const entry = { entity_type: 'PERSON', number: 1, key: 'ann', value: 'Ann', literal: false, own: false };
    const literal = { entity_type: 'PERSON', number: 7, key: '<PERSON_7>', value: '<PERSON_7>', literal: true, own: true };
    const run = new Placeholders({
      placeholders: [entry, literal, { ...entry, number: 2, key: 'bob', value: 'bob', own: true }],
    });
    expect(['<PERSON_1>', '<PERSON_2>', '<PERSON_3>', '<PERSON_7>'].map((name) => run.earlier(name))).toEqual([
      { value: 'Ann', own: false },
      { value: 'bob', own: true },
      null,
      { value: '<PERSON_7>', own: true },
    ]);
    expect(run.issue('PERSON', 'ann', 'ANN', false)).toBe('<PERSON_1>');
    expect(run.issue('PERSON', 'eve', 'Eve', false)).toBe('<PERSON_3>');
  });

  test('are kept in columns: no object for each value', () => {
    const state: JsonObject = {};
    const run = new Placeholders(state);
    for (const value of ['ann', 'bob', 'eve']) run.issue('PERSON', value, value, true);
    expect(state.placeholders).toEqual({
      PERSON: { values: ['ann', 'bob', 'eve'], keys: [null, null, null], numbers: [1, 2, 3], own: [true, true, true] },
    });
  });

  test('belong to the caller once the caller has written the value', () => {
    const run = new Placeholders({});
    run.issue('PERSON', 'ann', 'Ann', false);
    expect(run.known('PERSON', 'ann')?.own).toBe(false);
    run.issue('PERSON', 'ann', 'Ann', true);
    expect(run.known('PERSON', 'ann')?.own).toBe(true);
  });

  test('are distinguished from similar text', () => {
    const state: JsonObject = {};
    const run = new Placeholders(state);
    expect(run.issueLiteral('<PERSON_2>', true)).toBe('<PERSON_2>');
    expect(run.issue('PERSON', 'ann', 'Ann', true)).toBe('<PERSON_1>');
    expect(run.issue('PERSON', 'bob', 'Bob', true)).toBe('<PERSON_3>');
    expect(run.issueLiteral('<PERSON_1>', true)).toBe('<PERSON_4>');
    expect(run.issueLiteral('<PERSON_1>', true)).toBe('<PERSON_4>');
    expect(run.issueLiteral('<PERSON_4>', true)).toBe('<PERSON_5>');
    expect(new Placeholders(state).earlier('<PERSON_4>')?.value).toBe('<PERSON_1>');
  });

  test('stand for one value each, whatever the order of requests, and with or without storage in between', () => {
    const ask = fc.oneof(
      fc.record({ literal: fc.constant(false), key: fc.constantFrom('a', 'b', 'c', '__proto__') }),
      fc.record({ literal: fc.constant(true), key: fc.integer({ min: 1, max: 5 }).map((number) => `<PERSON_${number}>`) }),
    );
    fc.assert(
      fc.property(fc.array(ask, { maxLength: 20 }), fc.nat(20), (asks, stop) => {
        let state: JsonObject = {};
        let run = new Placeholders(state);
        const kept = new Placeholders({});
        const meaning = new Map<string, string>();
        for (const [turn, { literal, key }] of asks.entries()) {
          if (turn === stop) {
            state = JSON.parse(JSON.stringify(state));
            run = new Placeholders(state);
          }
          const name = literal ? run.issueLiteral(key, true) : run.issue('PERSON', key, key, true);
          expect(name).toBe(literal ? kept.issueLiteral(key, true) : kept.issue('PERSON', key, key, true));
          const thing = `${literal} ${key}`;
          expect(meaning.get(name) ?? thing).toBe(thing);
          meaning.set(name, thing);
        }
      }),
    );
  });
});

describe('the finder of placeholders', () => {
  const texts = ['<PERSON_1> <<A_12><PERSON_0> < PERSON_1> <US_SSN_123456789> <US_SSN_1234567890>', `<${'A'.repeat(80)}_1> <A_1`];

  test('finds them, and similar texts', () => {
    const [text = ''] = texts;
    const found = placeholderFinder.find(text, 0);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['<PERSON_1>', '<A_12>', '<US_SSN_123456789>']);
    expect(new Set(found.map(({ entity_type }) => entity_type))).toEqual(new Set([PLACEHOLDER]));
  });

  for (const { name, run } of finderConformance({ finder: placeholderFinder, texts })) test(name, run);
});
