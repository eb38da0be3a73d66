import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** Bytes of a secret that Standard Webhooks asks for. */
const [LEAST, MOST] = [24, 64];

/**
 * The key of a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes.
 * @throws {Error} naming the option and the remedy, never the value
 */
export function signingKey(secret: string, option: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  if (key.length < LEAST || key.length > MOST || key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')) {
    throw new Error(
      `${option}: must be ${PREFIX} followed by the base64 of ${LEAST} to ${MOST} random bytes; create it with openssl rand -base64 32`,
    );
  }
  return key;
}

/**
 * The headers that let a receiver check who sent a body, and when (Standard Webhooks 1.0, symmetric). One signature for each key: whoever
 * knows any of them can check.
 * @param id names the message; the same for every attempt to deliver it
 * @param now milliseconds since the epoch
 */
export function signedHeaders(keys: readonly Buffer[], id: string, now: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
