import { strictestOrigin, TEXT_ORIGINS } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { CHAT, MESSAGES, RESPONSES } from '../index.ts';
import { markOf, withoutMarks } from './origin.ts';

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

test('a mark is stricter than what anybody says, and less strict than all else', () => {
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

describe('a request that is sent to a model', () => {
  it.each([CHAT, MESSAGES, RESPONSES].map((protocol) => [protocol.id, protocol] as const))('has no marks (%s)', (_, protocol) => {
    const turns = [
      { role: 'user', content: 'a', svc_origin: 'retrieved' },
      { role: 'user', content: [{ type: 'text', text: 'b', svc_origin: ['anything'] }, { type: 'text', text: 'c' }, 'd'] },
      'e',
    ];
    const body = protocol.withTurns({ model: 'm' }, turns);
    const before = structuredClone(body);
    expect(protocol.turnsOf(withoutMarks(body, protocol))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b' }, { type: 'text', text: 'c' }, 'd'] },
      'e',
    ]);
    expect(body).toEqual(before);
    const plain = protocol.withTurns({ model: 'm' }, [{ role: 'user', content: [{ type: 'text', text: 'c' }] }]);
    expect(withoutMarks(plain, protocol)).toBe(plain);
  });
});
