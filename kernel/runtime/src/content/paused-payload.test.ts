import { createHash } from 'node:crypto';
import type { ChatCompletion, ChatRequest } from '@svc/contracts';
import { canonicalJson } from '@svc/ledger';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerOf } from '../test-parts.ts';
import { newSalt, type PausedPayload, payloadDigest } from './paused-payload.ts';
import { decodeJson, encodeJson } from './run-content.ts';

const text = fc.string({ unit: 'grapheme' });
const request: fc.Arbitrary<ChatRequest> = fc.record({
  model: text,
  messages: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content: text }), { minLength: 1 }),
});
const completion: fc.Arbitrary<ChatCompletion | null> = fc.option(text.map(answerOf));
const payload = fc.record({ request, completion });

it('a digest is SHA-256 over 16 bytes of salt and the canonical payload', () => {
  fc.assert(
    fc.property(payload, (paused) => {
      const salt = newSalt();
      expect(Buffer.from(salt, 'base64')).toHaveLength(16);
      const hash = createHash('sha256').update(Buffer.from(salt, 'base64')).update(canonicalJson(paused));
      expect(payloadDigest(paused, salt)).toBe(`sha256:${hash.digest('hex')}`);
    }),
  );
});

it('two payloads have one digest only if they are equal', () => {
  const salt = newSalt();
  fc.assert(
    fc.property(payload, payload, (a, b) => {
      expect(payloadDigest(a, salt) === payloadDigest(b, salt)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
  );
});

it('equal payloads have different digests with different salts, and no two salts are equal', () => {
  const salts = new Set(Array.from({ length: 100 }, newSalt));
  expect(salts.size).toBe(100);
  const paused = { request: { model: 'm', messages: [{ role: 'user', content: 'yes' }] }, completion: null };
  expect(new Set([...salts].map((salt) => payloadDigest(paused, salt))).size).toBe(100);
});

it('a digest is the same after storage: the decoded payload has the digest of the original', () => {
  fc.assert(
    fc.property(payload, (paused) => {
      const salt = newSalt();
      const digest = payloadDigest(paused, salt);
      const stored: PausedPayload = {
        ...paused,
        stage: 'ingress',
        node: 'n',
        index: 0,
        code: 'c',
        since: '2026-01-05T09:00:00.000Z',
        salt,
        digest,
        endpoint: null,
        route_digest: 'r',
        states: { n: { kept: [1, 'two', null] } },
        spend: [],
        unbilled: false,
      };
      const read = decodeJson<PausedPayload>(encodeJson(stored));
      expect(read).toEqual(stored);
      expect(payloadDigest(read, read.salt)).toBe(digest);
    }),
  );
});
