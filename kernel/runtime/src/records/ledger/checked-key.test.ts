import { generateKeyPairSync } from 'node:crypto';
import { SecretFailedError, type SigningKey } from '@svc/contracts';
import { isSignedBy, signingKey } from '@svc/ledger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkedKey } from './checked-key.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const NEVER = new AbortController().signal;
const MESSAGE = Buffer.from('a message');
const KEY = signingKey(generateKeyPairSync('ed25519').privateKey);
const signing = (sign: SigningKey['sign']) => checkedKey({ public_key: KEY.public_key, sign }).sign(MESSAGE, NEVER);

it('signs with the key', async () => {
  expect(isSignedBy(KEY.public_key, MESSAGE, await signing(KEY.sign))).toBe(true);
});

it('calls a key that is an object of a class', async () => {
  class Held implements SigningKey {
    readonly public_key = KEY.public_key;
    readonly #key = KEY;
    sign(message: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
      return this.#key.sign(message, signal);
    }
  }
  expect(isSignedBy(KEY.public_key, MESSAGE, await checkedKey(new Held()).sign(MESSAGE, NEVER))).toBe(true);
});

it.each<[string, SigningKey['sign'], string]>([
  ['by another key', signingKey(generateKeyPairSync('ed25519').privateKey).sign, 'invalid_signature'],
  ['of another message', (_, signal) => KEY.sign(Buffer.from('another'), signal), 'invalid_signature'],
  ['of no bytes', async () => new Uint8Array(), 'invalid_signature'],
  ['that is missing, for a reason', () => Promise.reject(new SecretFailedError('forbidden')), 'forbidden'],
  ['that is missing, because of a bug', () => Promise.reject(new TypeError('the PIN is 1234')), 'TypeError'],
])('refuses a signature %s', async (_, sign, code) => {
  await expect(signing(sign)).rejects.toMatchObject({ name: 'NotSigned', code, message: code });
});

it('waits five seconds, and then aborts the call', async () => {
  let given: AbortSignal | undefined;
  const signature = signing((_, signal) => {
    given = signal;
    return new Promise(() => undefined);
  });
  const refused = expect(signature).rejects.toMatchObject({ code: 'timeout' });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(given?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(2);
  await refused;
  expect(given?.aborted).toBe(true);
});
