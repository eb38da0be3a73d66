import { expect, test } from 'vitest';
import { ToolCallIndexes } from './tool-call-index.ts';

interface Delta {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
}

test.each<[string, Delta[], number[]]>([
  [
    'go on with the index that they began with',
    [{ index: 0, id: 'a', name: 'f' }, { index: 0 }, { index: 1, id: 'b', name: 'g' }, { index: 1 }, { index: 0 }],
    [0, 0, 1, 1, 0],
  ],
  [
    'begin with each new id where all have one index',
    [{ index: 0, id: 'a', name: 'f' }, { index: 0, id: 'b', name: 'f' }, { index: 0 }],
    [0, 1, 1],
  ],
  [
    'begin with each new id where none has an index',
    [{ id: 'a', name: 'f' }, { id: 'b', name: 'f' }, { id: 'a' }, {}],
    [0, 1, 0, 1],
  ],
  [
    'begin with each name where none has an index or an id',
    [{ name: 'f' }, {}, { name: 'f' }, { id: '', name: 'g' }],
    [0, 0, 1, 2],
  ],
  [
    'go on where a server repeats the name',
    [
      { index: 0, id: 'a', name: 'f' },
      { index: 0, name: 'f' },
      { index: 0, id: 'a', name: 'f' },
    ],
    [0, 0, 0],
  ],
  [
    'go on where a server makes a new id for each delta',
    [
      { index: 0, id: 'a', name: 'f' },
      { index: 0, id: 'b' },
    ],
    [0, 0],
  ],
])('tool calls %s', (_name, deltas, indexes) => {
  const calls = new ToolCallIndexes();
  const seen = deltas.map(({ name, ...delta }) => {
    const call = { ...delta, function: name === undefined ? {} : { name } };
    calls.set(call);
    return call.index;
  });
  expect(seen).toEqual(indexes);
});

test('a call without an id gets one', () => {
  const call = { function: { name: 'f' } };
  new ToolCallIndexes().set(call);
  expect(call).toMatchObject({ index: 0, id: 'call_0' });
});
