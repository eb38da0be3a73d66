import { expect, it } from 'vitest';
import { type RequestTools, readWithheld } from './tools.ts';

const IN_REQUEST: RequestTools = {
  offered: ['tools.0', 'tools.1'].map((path) => ({ kind: 'function', name: path, called: path, definition: {}, path })),
  chosen: [],
  results: [{ calls: [], path: 'messages.2' }],
};
const RESULT = { path: 'messages.2', text: 'NOTICE' };

it('reads the names that a guard withholds', () => {
  const withheld = [{ path: 'tools.1' }, RESULT];
  expect(readWithheld(withheld, IN_REQUEST)).toEqual(withheld);
});

it.each([
  ['no list', { path: 'tools.1' }],
  ['a hole', new Array(1)],
  ['an unknown tool', [{ path: 'tools.2' }]],
  ['a tool twice, which would remove another one', [{ path: 'tools.0' }, { path: 'tools.0' }]],
  ['a result twice', [RESULT, RESULT]],
  ['a tool with a text', [{ path: 'tools.0', text: 'x' }]],
  ['a result without a text', [{ path: 'messages.2' }]],
  ['half a character', [{ path: 'messages.2', text: '\ud800' }]],
])('refuses %s', (_, withheld) => {
  expect(readWithheld(withheld, IN_REQUEST)).toBeNull();
});
