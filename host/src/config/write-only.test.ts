import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { redactForDigest } from './write-only.ts';

const Secret = Type.String({ writeOnly: true });
const Schema = Type.Object({
  key: Secret,
  url: Type.String(),
  headers: Type.Record(Type.String(), Secret),
  hops: Type.Array(Type.Object({ name: Type.String(), token: Secret })),
  tokens: Type.Array(Secret),
  login: Type.Union([Type.Object({ anonymous: Type.Literal(true) }), Type.Object({ user: Type.String(), password: Secret })]),
  vault: Type.Object({ a: Type.String() }, { writeOnly: true }),
});

describe('redactForDigest', () => {
  it('removes values that the schema marks as write-only, at any place', () => {
    const options = {
      key: 'hunter2',
      url: 'https://example.org',
      headers: { 'x-a': 'hunter2' },
      hops: [
        { name: 'one', token: 'hunter2' },
        { name: 'two', token: 'hunter2' },
      ],
      tokens: ['hunter2', 'hunter2'],
      login: { user: 'u', password: 'hunter2' },
      vault: { a: 'hunter2' },
    };
    const redacted = redactForDigest(options, Schema);
    expect(redacted).toEqual({
      url: 'https://example.org',
      headers: {},
      hops: [{ name: 'one' }, { name: 'two' }],
      tokens: [],
      login: { user: 'u' },
    });
    expect(options.key).toBe('hunter2');
  });

  it('gives the same digest input for any value of a secret, and a different one after any other change', () => {
    const [a, b, c] = [
      { key: '1', url: 'x' },
      { key: '2', url: 'x' },
      { key: '1', url: 'y' },
    ].map((options) => redactForDigest(options, Schema));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });
});
