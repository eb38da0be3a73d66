import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signedHeaders, signingKey } from './signature.ts';

const secretOf = (bytes: number): string => `whsec_${randomBytes(bytes).toString('base64')}`;

describe('signedHeaders', () => {
  it('are verified by the reference library', () => {
    fc.assert(
      fc.property(fc.integer({ min: 24, max: 64 }), fc.string({ unit: 'grapheme' }), (bytes, text) => {
        const secret = secretOf(bytes);
        const body = JSON.stringify({ text });
        const previous = secretOf(bytes);
        const keys = [secret, previous].map((one) => signingKey(one, 'secret'));
        const headers = signedHeaders(keys, 'msg_1', Date.now(), body);
        expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
        expect(new Webhook(previous).verify(body, headers)).toEqual({ text });
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
        expect(() => new Webhook(secretOf(bytes)).verify(body, headers)).toThrow();
        expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
      }),
    );
  });
});

describe('signingKey', () => {
  it.each([
    ['no prefix', randomBytes(32).toString('base64')],
    ['nothing behind it', 'whsec_'],
    ['too little', secretOf(23)],
    ['too much', secretOf(65)],
    ['no base64', `whsec_${'!'.repeat(44)}`],
    ['a line feed at its end', `${secretOf(32)}\n`],
    ['the URL alphabet', `whsec_${'_-'.repeat(20)}`],
  ])('refuses a secret with %s, and does not repeat it', (_, secret) => {
    expect(() => signingKey(secret, 'secret')).toThrow(/^secret: must be whsec_/);
    try {
      signingKey(secret, 'secret');
    } catch (error) {
      if (secret.length > 10) expect(String(error)).not.toContain(secret.slice(-10));
    }
  });
});
