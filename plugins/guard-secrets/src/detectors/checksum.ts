import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Whether a token in the format of GitHub and npm contains a valid checksum: the last six of its 36 characters are the CRC-32 of the first
 * 30, in base 62.
 */
export function holdsChecksum(token: string): boolean {
  const [, body = '', sum = ''] = /_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(token) ?? [];
  return sum !== '' && base62(crc32(body)).padStart(6, '0') === sum;
}

function base62(number: number): string {
  return number === 0 ? '' : base62(Math.floor(number / 62)) + (DIGITS[number % 62] ?? '');
}
