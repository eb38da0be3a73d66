import { strictestOrigin, TEXT_ORIGINS } from '@svc/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markOf } from './origin.ts';

const origin = fc.option(fc.constantFrom(...TEXT_ORIGINS));

test('the strictest of several origins does not depend on their order', () => {
  fc.assert(
    fc.property(origin, origin, origin, (a, b, c) => {
      expect(strictestOrigin(a, b)).toBe(strictestOrigin(b, a));
      expect(strictestOrigin(strictestOrigin(a, b), c)).toBe(strictestOrigin(a, strictestOrigin(b, c)));
      expect([a, b]).toContain(strictestOrigin(a, b));
    }),
  );
});

test('a mark is stricter than the origin of any speaker, and less strict than all other origins', () => {
  const mark = markOf({ svc_origin: 'retrieved' });
  const counted = TEXT_ORIGINS.map((other) => [other, strictestOrigin(other, mark)]);
  expect(counted.filter(([, which]) => which === 'retrieved').map(([other]) => other)).toEqual([
    'request',
    'system',
    'user',
    'assistant',
    'retrieved',
  ]);
  for (const other of ['user', 'tool', 'unknown', true, null, {}]) expect(markOf({ svc_origin: other })).toBeNull();
});
