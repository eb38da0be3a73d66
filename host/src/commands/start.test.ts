import { expect, it } from 'vitest';
import { linesOf } from './start.ts';

const URL = 'http://127.0.0.1:8000';

it.each([
  [{ key: 'a', approver_key: 'b' }, '/showcase#key=a', '/approvals#key=b'],
  // The files as an earlier release wrote them.
  [{ key: 'a', approver_key: null }, '/showcase#key=a', '/approvals#key=a'],
  [{ key: null, approver_key: null }, '/showcase', '/approvals'],
])('with the keys %j, the links sign in the caller and the approver', (keys, showcase, approvals) => {
  const links = linesOf(URL, keys).map((line) => line.split(' ').at(-1));
  expect(links).toEqual([URL, `${URL}${showcase}`, `${URL}${approvals}`]);
});
