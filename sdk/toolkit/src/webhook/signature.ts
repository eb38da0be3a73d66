import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** The length of a secret, in bytes, that Standard Webhooks requires. */
const [MIN_BYTES, MAX_BYTES] = [24, 64];

/**
 * The key of a Standard Webhooks secret: `whsec_` and the base64 of 24 to 64 bytes.
 * @throws {Error} with the option and the remedy, never with the value
 */
export function signingKey(secret: string, option: string): Buffer {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(encoded, 'base64');
  if (
    key.length < MIN_BYTES ||
    key.length > MAX_BYTES ||
    key.toString('base64').replace(/=+$/, '') !== encoded.replace(/=+$/, '')
  ) {
    throw new Error(
      `${option}: must be ${PREFIX} followed by the base64 of ${MIN_BYTES} to ${MAX_BYTES} random bytes; create it with openssl rand -base64 32`,
    );
  }
  return key;
}

/**
 * The headers that let a receiver verify the sender and time of a body (Standard Webhooks 1.0, symmetric). There is one signature per key, so a
 * receiver needs only one of them.
 * @param id identifies the message; the same for every delivery attempt
 * @param now the time in milliseconds since the epoch
 */
export function signedHeaders(keys: readonly Buffer[], id: string, now: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
