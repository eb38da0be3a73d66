import type { JsonObject } from '@svc/sdk';
import { expect, test } from 'vitest';
import { CallPlaces } from './call-places.ts';

function numbered(...calls: JsonObject[]): unknown[] {
  const places = new CallPlaces();
  for (const call of calls) places.number(0, call);
  return calls.map(({ index }) => index);
}

test('calls that have numbers keep them', () => {
  expect(numbered({ index: 0, id: 'a' }, { index: 0 }, { index: 1, id: 'b' })).toEqual([0, 0, 1]);
});

test('without numbers, an id begins a call, and what has none goes on with it', () => {
  expect(numbered({ id: 'a' }, {}, { id: 'b', index: null }, { id: 'c' }, {})).toEqual([0, 0, 1, 2, 2]);
  expect(numbered({ index: 4, id: 'a' }, { id: 'b' })).toEqual([4, 5]);
});

test('each choice counts for itself', () => {
  const places = new CallPlaces();
  const [one, other]: JsonObject[] = [{ id: 'a' }, { id: 'b' }];
  places.number(0, one as JsonObject);
  places.number(1, other as JsonObject);
  expect([one?.index, other?.index]).toEqual([0, 0]);
});
