import type { Detector } from './detector.ts';
import { run, sequence, text } from './shape.ts';
import { asLongAs } from './tails.ts';

/** A signed or encrypted token (RFC 7515, 7516), recognised by its header. */
export const jwt: Detector = {
  entity: 'JWT',
  secret: sequence(text('eyJ'), run('A-Za-z0-9_-', 8, 1000), text('.'), run('A-Za-z0-9_-', 4)),
  notAfter: 'A-Za-z0-9_-',
  contains: ['eyJ'],
  continues: asLongAs('A-Za-z0-9_=-', '.'),
  judge: (value) => (isHeader(value.slice(0, value.indexOf('.'))) ? 1 : 0),
};

function isHeader(encoded: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && 'alg' in header;
  } catch {
    return false;
  }
}
