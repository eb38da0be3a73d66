import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSealed, openText, sealText } from './sealed-text.ts';

const newKey = () => ({ id: randomBytes(8).toString('hex'), plain: randomBytes(32) });

it('returns any text, reveals nothing about it, and is the same each time', () => {
  const key = newKey();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 8 }), fc.string(), (text, id) => {
      const sealed = sealText(key, id, text);
      expect(isSealed(sealed)).toBe(true);
      expect(openText(key, id, sealed)).toBe(text);
      expect(sealText(key, id, text)).toBe(sealed);
      for (const form of ['utf8', 'base64', 'hex'] as const) expect(sealed).not.toContain(Buffer.from(text).toString(form));
    }),
  );
});

it('differs for the same text under two ids', () => {
  const key = newKey();
  const [a = '', b = ''] = ['a', 'b'].map((id) => sealText(key, id, 'x'.repeat(100)).split(':')[3]);
  expect(a.slice(20, 60)).not.toBe(b.slice(20, 60));
});

it('opens only unaltered, with its own key and id', () => {
  const key = newKey();
  const sealed = sealText(key, 'a', 'the text');
  expect(openText(key, 'b', sealed)).toBeNull();
  expect(openText({ ...newKey(), id: key.id }, 'a', sealed)).toBeNull();
  expect(openText({ ...key, id: newKey().id }, 'a', sealed)).toBeNull();
  const bytes = Buffer.from(sealed.split(':')[3] ?? '', 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const altered = Buffer.from(bytes);
    altered[at] = (altered[at] ?? 0) ^ 1;
    expect(openText(key, 'a', `svc-sealed:1:${key.id}:${altered.toString('base64')}`)).toBeNull();
  }
});

it.each(['', 'a text', 'svc-sealed:1:', `svc-sealed:1:${'0'.repeat(16)}:`, `svc-sealed:2:${'0'.repeat(16)}:AAAA`])(
  '%j is an unencrypted text',
  (text) => expect(isSealed(text)).toBe(false),
);
